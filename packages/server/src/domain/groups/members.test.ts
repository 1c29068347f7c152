import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { say } from '../../../../testing/src/data/log-builder.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { walkByCursor } from '../../../../testing/src/service/walk.ts'

let now = 1_700_000_000
const app = await startTestApp({ clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const {
  addFriends,
  addMembers,
  changeMemberScope,
  deactivateUsers,
  getGroup,
  getGroupConversation,
  kickMember,
  leaveGroup,
  listConversations,
  listMembers,
  mapAppSettings,
  restrictFeatures,
  setScopePermissions,
  unmapAppSettings,
  unsetScopePermission,
} = app.as('full')

beforeAll(async () => {
  await app.given.users('ann', 'bob', 'cid', 'dan', 'eve', 'outsider')
  await app.given.role('guest')
  await app.given.user('gus', { role: 'guest' })
})

const refusal = (code: string, status?: number) => ({ code, ...(status && { status }) })
const lastAction = async (guid: string, onBehalfOf: string) =>
  (await getGroupConversation({ params: { guid }, onBehalfOf })).data[0]?.lastMessage
const join = (guid: string, onBehalfOf: string) => addMembers({ params: { guid }, onBehalfOf })

describe('leave', () => {
  test('ends the membership, is told in the group, and lets one come back', async () => {
    await app.given.group('pub', { owner: 'ann', members: { participants: ['bob'] } })
    const params = { guid: 'pub' }
    const { data } = await leaveGroup({ params, onBehalfOf: 'bob' })
    expect(data.success).toBe(true)
    expect((await getGroup({ params, onBehalfOf: 'bob' })).data).toMatchObject({
      hasJoined: false,
      membersCount: 1,
    })
    const told = await lastAction('pub', 'ann')
    expect(told).toMatchObject({
      category: 'action',
      type: 'groupMember',
      sender: 'bob',
      data: { action: 'left', entities: { by: { entity: { uid: 'bob' } } } },
    })
    expect(told?.data.entities).not.toHaveProperty('on')
    await join('pub', 'bob')
    expect((await getGroup({ params })).data.membersCount).toBe(2)
  })

  test('is refused to owners, outsiders, and for groups and users that do not exist', async () => {
    const leave = (guid: string, onBehalfOf: string) => leaveGroup({ params: { guid }, onBehalfOf })
    await expect(leave('pub', 'ann')).rejects.toMatchObject(refusal('ERR_GROUP_NO_CLEARANCE', 403))
    await expect(leave('pub', 'outsider')).rejects.toMatchObject(refusal('ERR_GROUP_NOT_JOINED'))
    await expect(leave('nothing', 'ann')).rejects.toMatchObject(refusal('ERR_GUID_NOT_FOUND'))
    await expect(leave('pub', 'nobody')).rejects.toMatchObject(refusal('ERR_UID_NOT_FOUND'))
  })
})

describe('change of scope', () => {
  test('answers the new scope, and tells the old and the new one in the group', async () => {
    now += 60
    const { data } = await changeMemberScope({
      params: { guid: 'pub', uid: 'BOB' },
      body: { scope: 'moderator' },
      onBehalfOf: 'ann',
    })
    expect(data).toEqual({ guid: 'pub', uid: 'bob', scope: 'moderator', joinedAt: now - 60 })
    expect(await lastAction('pub', 'ann')).toMatchObject({
      data: {
        action: 'scopeChanged',
        oldScope: 'participant',
        newScope: 'moderator',
        entities: { by: { entity: { uid: 'ann' } }, on: { entity: { uid: 'bob' } } },
      },
    })
  })

  test('is participant when nothing is said, and refused when it is no change', async () => {
    const params = { guid: 'pub', uid: 'bob' }
    expect((await changeMemberScope({ params })).data.scope).toBe('participant')
    await expect(changeMemberScope({ params })).rejects.toMatchObject(
      refusal('ERR_SAME_SCOPE', 403),
    )
  })

  test('is refused for groups, members and users that do not exist', async () => {
    const change = (guid: string, uid: string, onBehalfOf: string) =>
      changeMemberScope({ params: { guid, uid }, body: { scope: 'admin' }, onBehalfOf })
    await expect(change('nothing', 'bob', 'ann')).rejects.toMatchObject(
      refusal('ERR_GUID_NOT_FOUND'),
    )
    await expect(change('pub', 'bob', 'nobody')).rejects.toMatchObject(refusal('ERR_UID_NOT_FOUND'))
    await expect(change('pub', 'cid', 'ann')).rejects.toMatchObject(
      refusal('ERR_NOT_A_MEMBER', 404),
    )
    await expect(change('pub', 'bob', 'cid')).rejects.toMatchObject(refusal('ERR_GROUP_NOT_JOINED'))
  })
})

describe('kick', () => {
  test('removes a member, who may come back, and is told in the group', async () => {
    const params = { guid: 'pub', uid: 'bob' }
    const { data } = await kickMember({ params, onBehalfOf: 'ann' })
    expect(data.success).toBe(true)
    expect(await lastAction('pub', 'ann')).toMatchObject({
      sender: 'ann',
      data: { action: 'kicked', entities: { on: { entity: { uid: 'bob' } } } },
    })
    expect((await listConversations({ onBehalfOf: 'bob' })).data).toEqual([])
    await expect(kickMember({ params })).rejects.toMatchObject(refusal('ERR_NOT_A_MEMBER'))
    await join('pub', 'bob')
  })

  test('is refused for groups and users that do not exist, and to outsiders', async () => {
    const kick = (guid: string, onBehalfOf: string) =>
      kickMember({ params: { guid, uid: 'bob' }, onBehalfOf })
    await expect(kick('nothing', 'ann')).rejects.toMatchObject(refusal('ERR_GUID_NOT_FOUND'))
    await expect(kick('pub', 'nobody')).rejects.toMatchObject(refusal('ERR_UID_NOT_FOUND'))
    await expect(kick('pub', 'outsider')).rejects.toMatchObject(refusal('ERR_GROUP_NOT_JOINED'))
  })
})

describe('list', () => {
  beforeAll(async () => {
    const members = { admins: ['bob'], moderators: ['cid'], participants: ['dan', 'eve'] }
    await app.given.group('club', { owner: 'ann', members })
    await app.given.user('old', { name: 'Danger' })
    await addMembers({ params: { guid: 'club' }, body: { participants: ['old'] } })
    // What the gateway will write; in the app and in its shadow.
    await sql`
      insert into presence (app_id, uid, online, last_active_at)
      select app_id, uid, true, 1700000000 from users where uid = 'eve'`.execute(app.db)
  })

  const everybody = ['ann', 'bob', 'cid', 'dan', 'eve', 'old']
  const uids = async (query: object, onBehalfOf?: string) => {
    const as = onBehalfOf === undefined ? {} : { onBehalfOf }
    const { data } = await listMembers({ params: { guid: 'club' }, query, ...as })
    return data.map(({ uid }) => uid)
  }

  test('has every member by uid, with scope and time', async () => {
    const { data, meta } = await listMembers({ params: { guid: 'club' } })
    expect(data.map(({ uid, scope, joinedAt }) => ({ uid, scope, joinedAt }))).toEqual([
      { uid: 'ann', scope: 'admin', joinedAt: now },
      { uid: 'bob', scope: 'admin', joinedAt: now },
      { uid: 'cid', scope: 'moderator', joinedAt: now },
      { uid: 'dan', scope: 'participant', joinedAt: now },
      { uid: 'eve', scope: 'participant', joinedAt: now },
      { uid: 'old', scope: 'participant', joinedAt: now },
    ])
    expect(data[0]).toMatchObject({ name: 'ANN', role: 'default', status: 'offline' })
    expect(meta.pagination).toMatchObject({ count: 6, current_page: 1, per_page: 100 })
  })

  test.each<[string, object, string[]]>([
    ['a scope', { scopes: ['moderator'] }, ['cid']],
    ['several scopes', { scopes: ['admin', 'moderator'] }, ['ann', 'bob', 'cid']],
    ['who is online', { status: 'available' }, ['eve']],
    ['who is offline', { status: 'offline', scopes: ['participant'] }, ['dan', 'old']],
    ['the start of uid or name', { searchKey: 'DAN' }, ['dan', 'old']],
    ['the second page', { perPage: 4, page: 2 }, ['eve', 'old']],
  ])('has %s', async (_, query, expected) => {
    expect(await uids(query)).toEqual(expected)
    expect(await uids(query, 'dan')).toEqual(expected)
  })

  test('is walked by cursor', async () => {
    const list = (at: object) =>
      listMembers({ params: { guid: 'club' }, query: { perPage: 4, ...at }, onBehalfOf: 'ann' })
    const pages = await walkByCursor(list)
    expect(pages.map((page) => page.map(({ uid }) => uid))).toEqual([
      everybody.slice(0, 4),
      everybody.slice(4),
    ])
    await expect(list({ cursor: 'x' })).rejects.toMatchObject(refusal('ERR_BAD_REQUEST'))
  })

  test('leaves out who is deactivated', async () => {
    await deactivateUsers({ body: { uidsToDeactivate: ['old'] } })
    expect(await uids({})).toEqual(everybody.slice(0, 5))
  })

  test('is refused for groups and users that do not exist, and to outsiders', async () => {
    const list = (guid: string, onBehalfOf: string) => listMembers({ params: { guid }, onBehalfOf })
    await expect(list('nothing', 'ann')).rejects.toMatchObject(refusal('ERR_GUID_NOT_FOUND'))
    await expect(list('club', 'nobody')).rejects.toMatchObject(refusal('ERR_UID_NOT_FOUND'))
    await expect(list('club', 'outsider')).rejects.toMatchObject(refusal('ERR_GROUP_NOT_JOINED'))
  })

  test('obeys the permissions of the scope', async () => {
    const params = { guid: 'club', scope: 'participant' } as const
    const set = (permissions: Record<string, string | string[]>) =>
      setScopePermissions({ params, body: { permissions } })
    await set({ 'listMembers.allowedScopes': ['admin', 'moderator'] })
    expect(await uids({}, 'dan')).toEqual(['ann', 'bob', 'cid'])
    expect(await uids({ scopes: ['moderator', 'participant'] }, 'dan')).toEqual(['cid'])
    expect(await uids({}, 'cid')).toHaveLength(5)
    await unsetScopePermission({
      params: { ...params, permission: 'listMembers.allowedScopes' },
    })
    await addFriends({ params: { uid: 'dan' }, body: { accepted: ['eve', 'outsider'] } })
    await set({ listMembers: 'friends' })
    expect(await uids({}, 'dan')).toEqual(['dan', 'eve'])
    await set({ listMembers: 'deny' })
    await expect(uids({}, 'dan')).rejects.toMatchObject(refusal('ERR_PERMISSION_DENIED', 403))
    expect(await uids({}, 'ann')).toHaveLength(5)
  })
})

describe('what happens to members is the history of the group', () => {
  test('each action raises the count of the others and is the last message', async () => {
    await app.given.group('log', { owner: 'ann', members: { participants: ['bob'] } })
    await kickMember({ params: { guid: 'log', uid: 'bob' }, onBehalfOf: 'ann' })
    await join('log', 'cid')
    const seen = async (onBehalfOf: string) =>
      (await getGroupConversation({ params: { guid: 'log' }, onBehalfOf })).data[0]
    // Added by the app, kicked by herself, joined: her own act does not count.
    expect(await seen('ann')).toMatchObject({ unreadMessageCount: '2' })
    expect(await seen('cid')).toMatchObject({
      unreadMessageCount: '0',
      lastMessage: { data: { action: 'joined' }, sender: 'cid' },
    })
    await say(app, { from: 'ann', group: 'log', text: 'hello' })
    expect(await seen('cid')).toMatchObject({
      unreadMessageCount: '1',
      lastMessage: { data: { text: 'hello' } },
    })
  })

  test('unless the app does not want it there', async () => {
    const { appId } = app
    const settings = { 'core.conversations.updateOnGroupActions': false }
    await mapAppSettings({ params: { appId }, body: { settings } })
    await app.given.group('quiet', { owner: 'ann', members: { participants: ['bob'] } })
    await expect(lastAction('quiet', 'ann')).rejects.toMatchObject(
      refusal('ERR_CONVERSATION_NOT_ACCESSIBLE'),
    )
    await say(app, { from: 'bob', group: 'quiet', text: 'hello' })
    await kickMember({ params: { guid: 'quiet', uid: 'bob' } })
    const { data } = await getGroupConversation({ params: { guid: 'quiet' }, onBehalfOf: 'ann' })
    expect(data).toMatchObject([
      { unreadMessageCount: '1', lastMessage: { data: { text: 'hello' } } },
    ])
    await unmapAppSettings({ params: { appId }, body: { settings: Object.keys(settings) } })
  })
})

test('a role may be denied each of these', async () => {
  await app.given.group('gate', { owner: 'ann', members: { admins: ['gus'] } })
  const featuresToRestrict = [
    'leaveGroup',
    'listGroupMembers',
    'changeScope',
    'kickMember',
    'addMember',
    'joinGroup',
  ]
  await restrictFeatures({ params: { role: 'guest' }, body: { featuresToRestrict } })
  const params = { guid: 'gate' }
  const onBehalfOf = 'gus'
  const calls = [
    () => leaveGroup({ params, onBehalfOf }),
    () => listMembers({ params, onBehalfOf }),
    () => changeMemberScope({ params: { ...params, uid: 'ann' }, onBehalfOf }),
    () => kickMember({ params: { ...params, uid: 'ann' }, onBehalfOf }),
    () => addMembers({ params, body: { participants: ['bob'] }, onBehalfOf }),
    () => join('pub', 'gus'),
  ]
  for (const call of calls) {
    await expect(call()).rejects.toMatchObject(refusal('ERR_PERMISSION_DENIED', 403))
  }
})
