import { afterAll, expect, test } from 'vitest'
import { startRealtimeFixture } from '../../../testing/src/service/realtime-fixture.ts'

const fixture = await startRealtimeFixture()
afterAll(() => fixture[Symbol.asyncDispose]())
const { app, full, device, say, sayIn } = fixture
await app.given.users('ann', 'bob', 'cid')
await app.given.group('tea', { owner: 'ann', members: { participants: ['bob', 'cid'] } })
await full.createRule({ body: { id: 'no-spam', conditions: [{ value: 'spam' }] } })

const between = { send: (text: string) => say('ann', 'bob', text), label: 'ann_user_bob' }
const within = { send: (text: string) => sayIn('tea', 'ann', text), label: 'group_tea' }

test.each([
  ['between two', between],
  ['in a group', within],
])('a blocked message %s reaches its sender alone, and leaves no gap', async (_, to) => {
  await to.send('zero')
  const own = await device('ann')
  const other = await device('bob')
  const { positions } = { positions: other.positions() }
  for (const text of ['one', 'spam', 'two']) await to.send(text)
  for (const heard of [own, other]) await expect.poll(() => heard.texts().at(-1)).toBe('two')
  expect(own.texts()).toEqual(['one', 'spam', 'two'])
  expect(other.texts()).toEqual(['one', undefined, 'two'])
  const seqs = other.of('message').map(({ seq }) => seq)
  expect(seqs).toEqual([0, 1, 2].map((nth) => (seqs[0] ?? 0) + nth))
  expect(JSON.stringify(other.heard)).not.toContain('spam')

  const back = await device('bob', { positions })
  const ownBack = await device('ann', { positions })
  await to.send('three')
  for (const heard of [back, ownBack]) await expect.poll(() => heard.texts().at(-1)).toBe('three')
  expect(back.texts()).toEqual(['one', undefined, 'two', 'three'])
  expect(ownBack.texts()).toEqual(['one', 'spam', 'two', 'three'])
  expect(JSON.stringify(back.heard)).not.toContain('spam')
  expect(back.of('reload')).toEqual([])
})

test('devices hear that a message was withheld later, and that one was approved', async () => {
  const [own, other] = [await device('ann'), await device('bob')]
  const id = await say('ann', 'bob', 'reported')
  await expect.poll(() => other.texts()).toEqual(['reported'])
  await full.flagMessage({ params: { id }, onBehalfOf: 'bob', body: { reasonId: 'spam' } })
  await full.reviewFlaggedMessage({ params: { id }, body: { status: 'disapproved' } })
  for (const heard of [own, other]) await expect.poll(() => heard.of('changed').length).toBe(1)
  expect(other.of('changed')[0]?.message).toMatchObject({ id, deletedAt: expect.any(Number) })
  expect(JSON.stringify(other.of('changed'))).not.toContain('reported')
  expect(own.of('changed')[0]?.message).toMatchObject({ id, data: { text: 'reported' } })
  await full.reviewFlaggedMessage({ params: { id }, body: { status: 'approved' } })
  for (const heard of [own, other]) {
    await expect.poll(() => heard.texts()).toEqual(['reported', 'reported'])
    await expect.poll(() => heard.of('changed').length).toBe(2)
    expect(heard.of('changed')[1]?.message).toMatchObject({ id, deletedAt: expect.any(Number) })
  }
})
