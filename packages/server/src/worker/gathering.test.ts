import { afterAll, expect, test } from 'vitest'
import { natsPrefix } from '../../../testing/src/engines/nats-prefix.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'
import type { Listener } from '../outbox/listener.ts'

const wait = { timeout: 30_000, interval: 20 }
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

/** Each list is what a transaction was told. */
const handlings: string[][] = []
const failed: string[][] = []
const listener: Listener = {
  name: 'gathers',
  idempotent: true,
  on: {},
  together: {
    names: ['user.created'],
    async react(events) {
      const uids = events.flatMap(({ payload }) => ('uid' in payload ? [payload.uid] : []))
      if (uids.includes('bad')) {
        failed.push(uids)
        throw new Error('cannot handle bad')
      }
      handlings.push(uids)
    },
  },
}

const app = stack.use(
  await startTestApp({
    shadow: false,
    live: {
      listeners: [listener],
      settings: { NATS_PREFIX: natsPrefix(), LISTENER_ATTEMPTS: '2', LISTENER_RETRY_MS: '1' },
    },
  }),
)
const handled = () => handlings.flat().sort()

test('events that come closely after one another share a transaction, and each is handled', async () => {
  const uids = Array.from({ length: 30 }, (_, n) => `user${n + 10}`)
  for (const uid of uids) await app.as('full').createUser({ body: { uid, name: uid } })
  await expect.poll(handled, wait).toEqual(uids)
  expect(handlings.length).toBeLessThan(uids.length)
})

test('an event that cannot be handled fails alone', async () => {
  const before = handled()
  const uids = ['one', 'bad', 'two']
  await Promise.all(uids.map((uid) => app.as('full').createUser({ body: { uid, name: uid } })))
  await expect.poll(handled, wait).toEqual([...before, 'one', 'two'].sort())
  await expect
    .poll(() => failed.filter(({ length }) => length === 1).length, wait)
    .toBeGreaterThanOrEqual(2)
})
