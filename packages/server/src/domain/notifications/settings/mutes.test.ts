import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Device, startTestApp } from '../../../../../testing/src/service/test-app.ts'

let now = 1_800_000_000
const app = await startTestApp({ clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const {
  listMutedConversations,
  muteConversations,
  unmuteConversations,
  updateNotificationSettings,
  resetNotificationSettings,
} = app.as('full')

let ann: Device
beforeAll(async () => {
  await app.given.users('ann', 'bob')
  ann = await app.device('ann')
})

type Conversations = Parameters<typeof muteConversations>[0]['body']['conversations']
const of = (uid: string) => ({ query: { uid } })
const mute = (uid: string, ...conversations: Conversations) =>
  muteConversations({ ...of(uid), body: { conversations } })
const mutedBy = async (uid: string) =>
  (await listMutedConversations(of(uid))).data.mutedConversations

test('a conversation is muted until a moment, or until it is unmuted', async () => {
  expect(await mutedBy('ann')).toEqual([])
  const soon = (now + 60) * 1000 + 1
  expect(
    await mute(
      'ann',
      { id: 'BOB', type: 'oneOnOne', until: soon },
      { id: 'tea', type: 'group', until: 5 },
      { id: 'tea', type: 'group' },
    ),
  ).toEqual({ data: { success: true } })
  const tea = { id: 'tea', type: 'group' } as const
  const bob = { id: 'bob', type: 'oneOnOne' } as const
  expect(await mutedBy('ann')).toEqual([tea, { ...bob, until: soon }])
  expect(await mutedBy('bob')).toEqual([])
  now += 60
  expect(await mutedBy('ann')).toHaveLength(2)
  now += 1
  expect(await mutedBy('ann')).toEqual([tea])
  await unmuteConversations({ ...of('ann'), body: { conversations: [{ ...tea, id: 'Tea' }] } })
  expect(await mutedBy('ann')).toEqual([])
})

test('where the app leaves no choice, nothing is muted', async () => {
  const tea = { id: 'tea', type: 'group' } as const
  const bob = { id: 'bob', type: 'oneOnOne' } as const
  await mute('ann', tea)
  const mutePreferences = { mutedGroupsOverride: false, mutedOneOnOnesOverride: false }
  await updateNotificationSettings({ body: { preferences: { mute: mutePreferences } } })
  await mute('ann', bob, { id: 'den', type: 'group' })
  expect(await mutedBy('ann')).toEqual([])
  await resetNotificationSettings()
  expect(await mutedBy('ann')).toEqual([tea])
  await unmuteConversations({ ...of('ann'), body: { conversations: [tea] } })
})

test('somebody must be named, and what to mute', async () => {
  await expect(mute('ann')).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' })
  const body = { conversations: [{ id: 'x', type: 'group' as const }] }
  const refusal = { code: 'ERR_UID_NOT_FOUND', status: 404 }
  await expect(listMutedConversations(of('nobody'))).rejects.toMatchObject(refusal)
  await expect(muteConversations({ ...of('nobody'), body })).rejects.toMatchObject(refusal)
  await expect(unmuteConversations({ ...of('nobody'), body })).rejects.toMatchObject(refusal)
})

test('a user mutes at most 1000 at a time; those that have ended make room', async () => {
  await app.given.users('mute')
  const hundred = (nth: number, until: number): Conversations =>
    Array.from({ length: 100 }, (_, n) => ({ id: `g-${nth}-${n}`, type: 'group', until }))
  const soon = (now + 10) * 1000
  const later = (now + 100) * 1000
  for (let nth = 0; nth < 10; nth++) await mute('mute', ...hundred(nth, nth === 0 ? soon : later))
  await expect(mute('mute', { id: 'one', type: 'group' })).rejects.toMatchObject({
    code: 'ERR_PLAN_QUOTA_RESTRICTION',
    status: 403,
  })
  now += 10
  await mute('mute', ...hundred(11, later))
  expect(await mutedBy('mute')).toHaveLength(1000)
})

test('a device mutes for its own user, and for nobody else', async () => {
  const body = { conversations: [{ id: 'bob', type: 'oneOnOne' as const }] }
  await ann.calls.muteConversations({ ...of('ann'), body })
  expect((await ann.calls.listMutedConversations(of('ann'))).data).toEqual({
    mutedConversations: body.conversations,
  })
  await ann.calls.unmuteConversations({ ...of('ann'), body })
  const denied = { code: 'ERR_PERMISSION_DENIED', status: 403 }
  await expect(ann.calls.listMutedConversations(of('bob'))).rejects.toMatchObject(denied)
  await expect(ann.calls.muteConversations({ ...of('bob'), body })).rejects.toMatchObject(denied)
  await expect(ann.calls.unmuteConversations({ ...of('bob'), body })).rejects.toMatchObject(denied)
})
