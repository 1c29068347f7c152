import { afterAll, expect, test } from 'vitest'
import { answer, type Behaviour } from '../../../../testing/src/network/receiver.ts'
import { type Hook, startWebhookFixture } from '../../../../testing/src/webhooks/webhook-fixture.ts'

const wait = { timeout: 30_000, interval: 20 }
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

test('L11: slow webhooks of one app do not keep another from being asked', async () => {
  // Ten calls at once for all: of one app no more than two.
  const more = { EGRESS_CONCURRENCY: '10', EGRESS_CONCURRENCY_PER_TARGET: '5' }
  const fixture = stack.use(await startWebhookFixture({ ...more, WEBHOOK_TIMEOUT_MS: '20000' }))
  const { app } = fixture
  await app.given.users('ann', 'bob')
  const polite = await fixture.oldHook('polite', ['before_message'], {
    behave: answer(200, JSON.stringify({ asked: true })),
  })
  const say = () => app.given.message('ann', 'bob', { data: { text: 'hello' } })
  const isAsked = async () => JSON.stringify((await say()).data).includes('"asked":true')
  await expect.poll(isAsked, wait).toBe(true)
  const other = await app.anotherApp()
  const calls = app.client(other, 'full')
  for (const uid of ['cyd', 'dan']) await calls.createUser({ body: { uid, name: uid } })
  const silent: Behaviour = () => undefined
  const slow: Hook[] = []
  for (let n = 0; n < 4; n++) {
    slow.push(await fixture.oldHook(`slow-${n}`, ['before_message'], { behave: silent, of: other }))
  }
  const heard = () => slow.reduce((sum, { receiver }) => sum + receiver.received.length, 0)
  const body = { receiver: 'dan', receiverType: 'user', data: { text: 'x' } } as const
  let pending = 0
  const sendSlowly = () => {
    pending++
    const sent = calls.sendMessage({ onBehalfOf: 'cyd', body })
    // Its outcome is not looked at: the fixture ends before they are answered.
    sent.catch(() => undefined).finally(() => pending--)
  }
  await expect
    .poll(() => {
      sendSlowly()
      return heard()
    }, wait)
    .toBeGreaterThan(0)
  for (let n = 0; n < 20; n++) sendSlowly()
  const before = polite.receiver.received.length
  for (let n = 0; n < 5; n++) expect(await isAsked()).toBe(true)
  expect(polite.receiver.received.length - before).toBe(5)
  // While those of the other app still hang, two at a time.
  expect(pending).toBeGreaterThan(0)
  expect(heard()).toBe(2)
}, 120_000)
