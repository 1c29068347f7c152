import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

let now = 1_700_000_000
const app = await startTestApp({ clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const {
  addMembers,
  banUser,
  deactivateUsers,
  getGroup,
  getGroupConversation,
  listBannedUsers,
  listMembers,
  mapAppSettings,
  setRolePermissions,
  unmapAppSettings,
  updateGroup,
} = app.as('full')

beforeAll(async () => {
  await app.given.users('ann', 'bob', 'cid', 'dan', 'eve', 'outsider')
})

const refusal = (code: string, status?: number) => ({ code, ...(status && { status }) })
const failed = (code: string) => ({ success: false, error: { code } })
const scopesIn = async (guid: string) =>
  Object.fromEntries(
    (await listMembers({ params: { guid } })).data.map(({ uid, scope }) => [uid, scope]),
  )

describe('adding', () => {
  test('answers an action message per user; the group holds them as wanted', async () => {
    await app.given.group('tea', { owner: 'ann' })
    now += 5
    const { data } = await addMembers({
      params: { guid: 'tea' },
      body: { admins: ['bob'], moderators: ['cid'], participants: ['dan'], usersToBan: ['eve'] },
      onBehalfOf: 'ann',
    })
    for (const [list, uid] of [
      ['admins', 'bob'],
      ['moderators', 'cid'],
      ['participants', 'dan'],
    ] as const) {
      expect(data[list]).toEqual({
        [uid]: {
          success: true,
          data: {
            id: expect.stringMatching(/^\d+$/),
            conversationId: 'group_tea',
            sender: 'ann',
            receiverType: 'group',
            receiver: 'tea',
            category: 'action',
            type: 'groupMember',
            data: {
              action: 'added',
              entities: {
                by: { entity: expect.objectContaining({ uid: 'ann' }), entityType: 'user' },
                on: { entity: expect.objectContaining({ uid }), entityType: 'user' },
                for: {
                  entity: expect.objectContaining({ guid: 'tea', membersCount: 4 }),
                  entityType: 'group',
                },
              },
            },
            sentAt: now,
            updatedAt: now,
            receipts: { data: [] },
          },
        },
      })
    }
    expect(data.usersToBan).toEqual({ eve: { success: true } })
    expect(await scopesIn('tea')).toEqual({
      ann: 'admin',
      bob: 'admin',
      cid: 'moderator',
      dan: 'participant',
    })
    const { data: banned } = await listBannedUsers({ params: { guid: 'tea' } })
    expect(banned.map(({ uid }) => uid)).toEqual(['eve'])
  })

  test('fails uid by uid, and does the rest', async () => {
    await app.given.user('gone')
    await deactivateUsers({ body: { uidsToDeactivate: ['gone'] } })
    const { data } = await addMembers({
      params: { guid: 'tea' },
      body: {
        admins: ['nobody', 'bob'],
        moderators: ['gone'],
        participants: ['eve', 'OUTSIDER'],
        usersToBan: ['ann', 'nowhere'],
      },
    })
    expect(data).toMatchObject({
      admins: { nobody: failed('ERR_UID_NOT_FOUND'), bob: failed('ERR_ALREADY_JOINED') },
      moderators: { gone: failed('ERR_UID_NOT_FOUND') },
      participants: { eve: failed('ERR_BANNED_GROUPMEMBER'), outsider: { success: true } },
      usersToBan: {
        ann: failed('ERR_GROUP_NO_CLEARANCE'),
        nowhere: failed('ERR_UID_NOT_FOUND'),
      },
    })
    expect((await getGroup({ params: { guid: 'tea' } })).data.membersCount).toBe(5)
  })

  test('bans members too, but nobody twice and nobody oneself', async () => {
    const { data } = await addMembers({
      params: { guid: 'tea' },
      body: { usersToBan: ['outsider', 'eve', 'bob'] },
      onBehalfOf: 'bob',
    })
    expect(data.usersToBan).toMatchObject({
      outsider: { success: true },
      eve: failed('ERR_ALREADY_BANNED'),
      bob: failed('ERR_GROUP_NO_SELF_ACTION'),
    })
    expect((await getGroup({ params: { guid: 'tea' } })).data.membersCount).toBe(4)
    expect(await scopesIn('tea')).not.toHaveProperty('outsider')
  })

  test('section 8: a uid in several lists gets the highest', async () => {
    await app.given.users('one', 'two', 'three')
    await app.given.group('steps')
    const { data } = await addMembers({
      params: { guid: 'steps' },
      body: {
        usersToBan: ['one', 'two', 'three'],
        participants: ['one', 'two', 'three'],
        moderators: ['one', 'two'],
        admins: ['one', 'ONE'],
      },
    })
    expect(Object.keys(data).toSorted()).toEqual(['admins', 'moderators', 'participants'])
    expect(await scopesIn('steps')).toEqual({
      one: 'admin',
      two: 'moderator',
      three: 'participant',
    })
  })

  test('empty lists add nobody, and are no way to join', async () => {
    const body = { participants: [] }
    expect((await addMembers({ params: { guid: 'steps' }, body })).data).toEqual({})
    await expect(
      addMembers({ params: { guid: 'steps' }, body, onBehalfOf: 'ann' }),
    ).rejects.toMatchObject(refusal('ERR_GROUP_NOT_JOINED'))
  })

  test('is refused to all but admins, and for groups and users that do not exist', async () => {
    const add = (guid: string, onBehalfOf: string) =>
      addMembers({ params: { guid }, body: { participants: ['eve'] }, onBehalfOf })
    await expect(add('tea', 'cid')).rejects.toMatchObject(refusal('ERR_GROUP_NO_ADMIN_SCOPE', 403))
    await expect(add('tea', 'outsider')).rejects.toMatchObject(refusal('ERR_GROUP_NOT_JOINED'))
    await expect(add('nothing', 'ann')).rejects.toMatchObject(refusal('ERR_GUID_NOT_FOUND'))
    await expect(add('tea', 'nobody')).rejects.toMatchObject(refusal('ERR_UID_NOT_FOUND'))
  })
})

describe('joining', () => {
  const join = (guid: string, onBehalfOf: string, password?: string) =>
    addMembers({ params: { guid }, body: { ...(password && { password }) }, onBehalfOf })

  test('a public group is free: one is a participant who has seen everything so far', async () => {
    await app.given.group('square', { owner: 'ann', members: { participants: ['bob'] } })
    const { data } = await join('square', 'eve')
    expect(data).toMatchObject({
      participants: { eve: { success: true, data: { sender: 'eve', data: { action: 'joined' } } } },
    })
    const entities = data.participants?.eve?.data?.data.entities
    expect(Object.keys(entities ?? {}).toSorted()).toEqual(['by', 'for'])
    const { data: seen } = await getGroup({ params: { guid: 'square' }, onBehalfOf: 'eve' })
    expect(seen).toMatchObject({ scope: 'participant', hasJoined: true, membersCount: 3 })
    const unread = async (onBehalfOf: string) =>
      (await getGroupConversation({ params: { guid: 'square' }, onBehalfOf })).data
    expect(await unread('eve')).toMatchObject([{ unreadMessageCount: '0' }])
    expect(await unread('bob')).toMatchObject([{ unreadMessageCount: '1' }])
  })

  test('a password group wants its password: none, a wrong one, the right one', async () => {
    await app.given.group('safe', { type: 'password', password: 'sesame', owner: 'ann' })
    await expect(join('safe', 'bob')).rejects.toMatchObject(refusal('ERR_EMPTY_GROUP_PASS', 400))
    await expect(join('safe', 'bob', 'Sesame')).rejects.toMatchObject(
      refusal('ERR_WRONG_GROUP_PASS', 403),
    )
    await join('safe', 'bob', 'sesame')
    await updateGroup({ params: { guid: 'safe' }, body: { password: 'lentils' } })
    await expect(join('safe', 'cid', 'sesame')).rejects.toMatchObject(
      refusal('ERR_WRONG_GROUP_PASS'),
    )
    await join('safe', 'cid', 'lentils')
    await addMembers({ params: { guid: 'safe' }, body: { participants: ['dan'] } })
    expect((await getGroup({ params: { guid: 'safe' } })).data.membersCount).toBe(4)
  })

  test('a private group is not joined: members are added', async () => {
    await app.given.group('den', { type: 'private', owner: 'ann' })
    await expect(join('den', 'bob')).rejects.toMatchObject(
      refusal('ERR_GROUP_JOIN_NOT_ALLOWED', 403),
    )
    await addMembers({ params: { guid: 'den' }, body: { participants: ['bob'] } })
    expect(await scopesIn('den')).toHaveProperty('bob', 'participant')
  })

  test('is refused to members and to the banned', async () => {
    await expect(join('square', 'eve')).rejects.toMatchObject(refusal('ERR_ALREADY_JOINED', 409))
    await banUser({ params: { guid: 'square', uid: 'eve' } })
    await expect(join('square', 'eve')).rejects.toMatchObject(
      refusal('ERR_BANNED_GROUPMEMBER', 403),
    )
  })

  test('is refused for groups and users that do not exist, and to the app itself', async () => {
    await expect(join('nothing', 'ann')).rejects.toMatchObject(refusal('ERR_GUID_NOT_FOUND'))
    await expect(join('square', 'nobody')).rejects.toMatchObject(refusal('ERR_UID_NOT_FOUND'))
    await expect(addMembers({ params: { guid: 'square' } })).rejects.toMatchObject({
      code: 'ERR_BAD_REQUEST',
      details: { body: [expect.any(String)] },
    })
  })

  test('may be denied to a role, for all groups or by type', async () => {
    await app.given.role('guest')
    await app.given.user('gus', { role: 'guest' })
    const set = (permissions: Record<string, string | string[] | null>) =>
      setRolePermissions({ params: { role: 'guest' }, body: { permissions } })
    await set({ joinGroup: 'deny' })
    await expect(join('square', 'gus')).rejects.toMatchObject(refusal('ERR_PERMISSION_DENIED', 403))
    await set({ joinGroup: null, 'joinGroup.allowedGroupTypes': ['password'] })
    await expect(join('square', 'gus')).rejects.toMatchObject(refusal('ERR_PERMISSION_DENIED'))
    await join('safe', 'gus', 'lentils')
  })
})

test('a full group takes nobody, however they come', async () => {
  const { appId } = app
  const settings = { 'groups.memberLimit': 2 }
  await app.given.group('boat', { owner: 'ann', members: { participants: ['bob'] } })
  await mapAppSettings({ params: { appId }, body: { settings } })
  const params = { guid: 'boat' }
  const ways = [
    () => addMembers({ params, onBehalfOf: 'cid' }),
    () => addMembers({ params, body: { participants: ['cid'] } }),
    () => updateGroup({ params, body: { owner: 'cid' } }),
  ]
  for (const way of ways) {
    await expect(way()).rejects.toMatchObject(refusal('ERR_NO_VACANCY', 403))
  }
  expect((await getGroup({ params })).data).toMatchObject({ membersCount: 2, owner: 'ann' })
  await unmapAppSettings({ params: { appId }, body: { settings: Object.keys(settings) } })
  await addMembers({ params, onBehalfOf: 'cid' })
})
