import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { bucketOf } from '../../database/buckets.ts'

let now = 1_800_000_000
const app = await startTestApp({ clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
const { message } = app.given
await app.given.users('ann', 'bob')

test('the time of a conversation does not run backwards when a clock does', async () => {
  const first = await message('ann', 'bob')
  now -= 100
  const second = await message('bob', 'ann')
  now += 50
  const third = await message('ann', 'bob')
  expect([second.sentAt, third.sentAt]).toEqual([first.sentAt, first.sentAt])
  now += 100
  expect((await message('ann', 'bob')).sentAt).toBe(first.sentAt + 50)
})

test('the groups of an app are spread over the buckets', async () => {
  const buckets = new Set<number>()
  for (let nth = 0; nth < 12; nth++) {
    await app.given.group(`g${nth}`, { owner: 'ann' })
    const { id } = await message('ann', `g${nth}`, { receiverType: 'group' })
    buckets.add(bucketOf(Number(id)))
  }
  // Twelve of 64: that three or fewer are hit by chance happens once in billions.
  expect(buckets.size).toBeGreaterThan(3)
})

test('what was read and is read again is told once; the marked message itself was read', async () => {
  const { id } = await message('ann', 'bob')
  const { id: later } = await message('ann', 'bob')
  const mark = (messageId: string) =>
    full.markUserConversationRead({
      params: { uid: 'ann' },
      onBehalfOf: 'bob',
      body: { messageId },
    })
  const told = async () =>
    (await app.events()).filter(({ name }) => name === 'conversation.read').length
  const before = await told()
  await mark(id)
  await mark(id)
  expect(await told()).toBe(before + 1)
  const get = async (of: string) =>
    (await full.getMessage({ params: { id: of }, onBehalfOf: 'ann' })).data
  expect(await get(id)).toMatchObject({ readAt: now, deliveredAt: now })
  expect(await get(later)).not.toHaveProperty('readAt')
  await full.markUserConversationDelivered({
    params: { uid: 'ann' },
    onBehalfOf: 'bob',
    body: { messageId: later },
  })
  expect(await get(later)).toMatchObject({ deliveredAt: now })
})
