import { afterAll, expect, test } from 'vitest'
import { startRealtimeFixture } from '../../../testing/src/service/realtime-fixture.ts'

const fixture = await startRealtimeFixture()
afterAll(() => fixture[Symbol.asyncDispose]())
const { app, full, device, say, sayIn } = fixture
const label = 'group_a_user_zoe'

test('L5: a device hears a user and a group whose conversations have the same label', async () => {
  await app.given.users('group_a', 'zoe', 'eve')
  await say('group_a', 'zoe', 'first')
  const early = await device('zoe')
  await early.next('welcome')
  // A stranger chooses the id of a group so that the labels are the same.
  await app.given.group('a_user_zoe', { owner: 'eve', members: { participants: ['zoe'] } })
  const texts = (one: typeof early) => one.texts().filter((text) => text !== undefined)
  await sayIn('a_user_zoe', 'eve', 'in the group')
  await expect.poll(() => texts(early)).toEqual(['in the group'])
  await say('group_a', 'zoe', 'between us')
  await expect.poll(() => texts(early)).toEqual(['in the group', 'between us'])
  const late = await device('zoe', { positions: { [label]: { seq: 1, change: 0 } } })
  // Of which of the two its position is cannot be known: it reads both anew.
  for (const _ of ['one', 'two']) expect((await late.next('reload')).conversationId).toBe(label)
  await sayIn('a_user_zoe', 'eve', 'again in the group')
  await say('group_a', 'zoe', 'again between us')
  await expect
    .poll(() => texts(late).toSorted())
    .toEqual(['again between us', 'again in the group'])
  await full.kickMember({ params: { guid: 'a_user_zoe', uid: 'zoe' } })
  for (const one of [early, late]) await one.next('left')
  await say('group_a', 'zoe', 'still between us')
  for (const one of [early, late]) {
    await expect.poll(() => texts(one).at(-1)).toBe('still between us')
  }
})
