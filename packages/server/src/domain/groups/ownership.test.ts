import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { say } from '../../../../testing/src/data/log-builder.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

let now = 1_700_000_000
const app = await startTestApp({ clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const {
  addMembers,
  banUser,
  deleteUser,
  getGroup,
  getGroupConversation,
  getUserConversation,
  leaveGroup,
  listBannedUsers,
  listConversations,
  listMembers,
  mapAppSettings,
  restrictFeatures,
  transferGroupOwnership,
  unmapAppSettings,
  updateGroup,
} = app.as('full')

const params = { guid: 'pub' }
const refusal = (code: string, status?: number) => ({ code, ...(status && { status }) })
const scopesIn = async (guid: string) =>
  (await listMembers({ params: { guid } })).data.map(({ uid, scope }) => `${uid} ${scope}`)
const lastAction = async (guid: string, onBehalfOf: string) =>
  (await getGroupConversation({ params: { guid }, onBehalfOf })).data[0]?.lastMessage

beforeAll(async () => {
  await app.given.users('ann', 'bob', 'cid', 'dan', 'eve', 'outsider')
  await app.given.group('pub', { owner: 'ann', members: { participants: ['bob'] } })
})

describe('handing over', () => {
  test('makes a member owner and admin; the old owner stays an admin and may leave', async () => {
    now += 10
    const { data } = await transferGroupOwnership({
      params,
      body: { owner: 'BOB' },
      onBehalfOf: 'ann',
    })
    expect(data).toMatchObject({ owner: 'bob', scope: 'admin', updatedAt: now, updatedBy: 'ann' })
    expect(await scopesIn('pub')).toEqual(['ann admin', 'bob admin'])
    expect((await lastAction('pub', 'bob'))?.data).toMatchObject({
      action: 'scopeChanged',
      oldScope: 'participant',
      newScope: 'admin',
    })
    expect((await app.events()).at(-1)).toEqual({
      name: 'group.ownerChanged',
      payload: { guid: 'pub', owner: 'bob', oldOwner: 'ann' },
    })
    await leaveGroup({ params, onBehalfOf: 'ann' })
    await expect(leaveGroup({ params, onBehalfOf: 'bob' })).rejects.toMatchObject(
      refusal('ERR_GROUP_NO_CLEARANCE'),
    )
  })

  test('adds the new owner first, where they are no member', async () => {
    await transferGroupOwnership({ params, body: { owner: 'cid' } })
    expect(await scopesIn('pub')).toEqual(['bob admin', 'cid admin'])
    expect((await getGroup({ params })).data).toMatchObject({ owner: 'cid', membersCount: 2 })
    expect((await lastAction('pub', 'bob'))?.data.action).toBe('added')
  })

  test('to the owner is no change', async () => {
    const before = await app.events()
    await transferGroupOwnership({ params, body: { owner: 'cid' }, onBehalfOf: 'cid' })
    expect(await app.events()).toEqual(before)
  })

  test('is part of an update by the app, and ignored in one by a user', async () => {
    const body = { owner: 'bob' }
    const { data } = await updateGroup({ params, body, onBehalfOf: 'cid' })
    expect(data.owner).toBe('cid')
    expect((await updateGroup({ params, body })).data.owner).toBe('bob')
  })

  test('is refused to and for those who do not exist, outsiders, the banned', async () => {
    await banUser({ params: { ...params, uid: 'eve' } })
    const hand = (guid: string, owner: string, onBehalfOf: string) =>
      transferGroupOwnership({ params: { guid }, body: { owner }, onBehalfOf })
    await expect(hand('nothing', 'cid', 'bob')).rejects.toMatchObject(refusal('ERR_GUID_NOT_FOUND'))
    await expect(hand('pub', 'nobody', 'bob')).rejects.toMatchObject(refusal('ERR_UID_NOT_FOUND'))
    await expect(hand('pub', 'cid', 'nobody')).rejects.toMatchObject(refusal('ERR_UID_NOT_FOUND'))
    await expect(hand('pub', 'cid', 'outsider')).rejects.toMatchObject(
      refusal('ERR_GROUP_NOT_JOINED'),
    )
    await expect(hand('pub', 'cid', 'cid')).rejects.toMatchObject(refusal('ERR_GROUP_NO_CLEARANCE'))
    await expect(hand('pub', 'eve', 'bob')).rejects.toMatchObject(
      refusal('ERR_BANNED_GROUPMEMBER', 403),
    )
    await expect(updateGroup({ params, body: { owner: 'eve' } })).rejects.toMatchObject(
      refusal('ERR_BANNED_GROUPMEMBER'),
    )
    await expect(updateGroup({ params, body: { owner: 'nobody' } })).rejects.toMatchObject(
      refusal('ERR_UID_NOT_FOUND'),
    )
    expect((await getGroup({ params })).data.owner).toBe('bob')
  })

  test('is refused where the new owner finds no room', async () => {
    const { appId } = app
    const settings = { 'groups.memberLimit': 2 }
    await mapAppSettings({ params: { appId }, body: { settings } })
    await expect(
      transferGroupOwnership({ params, body: { owner: 'dan' }, onBehalfOf: 'bob' }),
    ).rejects.toMatchObject(refusal('ERR_NO_VACANCY'))
    await unmapAppSettings({ params: { appId }, body: { settings: Object.keys(settings) } })
  })

  test('may be denied to a role', async () => {
    await app.given.role('guest')
    await app.given.user('gus', { role: 'guest' })
    await app.given.group('gate', { owner: 'gus' })
    const featuresToRestrict = ['patchOwner']
    await restrictFeatures({ params: { role: 'guest' }, body: { featuresToRestrict } })
    await expect(
      transferGroupOwnership({
        params: { guid: 'gate' },
        body: { owner: 'ann' },
        onBehalfOf: 'gus',
      }),
    ).rejects.toMatchObject(refusal('ERR_PERMISSION_DENIED', 403))
  })
})

describe('a user who is deleted for ever', () => {
  const forEver = (uid: string) => deleteUser({ params: { uid }, body: { permanent: true } })

  test('leaves every group; what they owned goes to the oldest admin', async () => {
    await app.given.users('zoe', 'yan', 'max')
    await app.given.group('first', { owner: 'max', members: { participants: ['bob'] } })
    await app.given.group('second', { owner: 'ann', members: { participants: ['max', 'bob'] } })
    await app.given.group('third', { owner: 'max' })
    now += 1
    await addMembers({ params: { guid: 'first' }, body: { admins: ['zoe'] } })
    now += 1
    await addMembers({ params: { guid: 'first' }, body: { admins: ['yan'] } })
    await forEver('max')
    const group = async (guid: string) => (await getGroup({ params: { guid } })).data
    expect(await group('first')).toMatchObject({ owner: 'zoe', membersCount: 3 })
    expect(await group('second')).toMatchObject({ owner: 'ann', membersCount: 2 })
    expect(await group('third')).toMatchObject({ owner: 'app_system', membersCount: 0 })
    expect(await scopesIn('first')).toEqual(['bob participant', 'yan admin', 'zoe admin'])
    expect(await app.events()).toContainEqual({
      name: 'group.ownerChanged',
      payload: { guid: 'first', owner: 'zoe', oldOwner: 'max' },
    })
    expect((await lastAction('second', 'bob'))?.data).toMatchObject({
      action: 'kicked',
      entities: { on: { entity: { uid: 'max' } } },
    })
  })

  test('is banned nowhere any more, and whoever takes their uid starts from nothing', async () => {
    await app.given.users('tom')
    await banUser({ params: { guid: 'second', uid: 'tom' } })
    await say(app, { from: 'tom', to: 'ann', text: 'between us' })
    await addMembers({ params: { guid: 'first' }, onBehalfOf: 'tom' })
    await forEver('tom')
    const { data: banned } = await listBannedUsers({ params: { guid: 'second' } })
    expect(banned).toEqual([])
    await app.given.user('tom')
    expect((await listConversations({ onBehalfOf: 'tom' })).data).toEqual([])
    await expect(
      getUserConversation({ params: { uid: 'tom' }, onBehalfOf: 'ann' }),
    ).rejects.toMatchObject(refusal('ERR_CONVERSATION_NOT_ACCESSIBLE'))
    await addMembers({ params: { guid: 'second' }, onBehalfOf: 'tom' })
    await say(app, { from: 'ann', to: 'tom', text: 'hello' })
    const { data } = await getUserConversation({ params: { uid: 'ann' }, onBehalfOf: 'tom' })
    expect(data).toMatchObject([{ unreadMessageCount: '1' }])
  })

  test('deleted softly keeps their place', async () => {
    await app.given.users('pat')
    await app.given.group('fourth', { owner: 'pat', members: { admins: ['bob'] } })
    await deleteUser({ params: { uid: 'pat' } })
    const { data } = await getGroup({ params: { guid: 'fourth' } })
    expect(data).toMatchObject({ owner: 'pat', membersCount: 2 })
  })
})
