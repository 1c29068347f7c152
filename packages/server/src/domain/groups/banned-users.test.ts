import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { walkByCursor, walkByPage } from '../../../../testing/src/service/walk.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const {
  addMembers,
  banUser,
  getGroup,
  getGroupConversation,
  listBannedUsers,
  listConversations,
  restrictFeatures,
  unbanUser,
} = app.as('full')

const params = { guid: 'pub' }
const of = (uid: string) => ({ ...params, uid })
const refusal = (code: string, status?: number) => ({ code, ...(status && { status }) })
const lastAction = async () =>
  (await getGroupConversation({ params, onBehalfOf: 'ann' })).data[0]?.lastMessage?.data

beforeAll(async () => {
  await app.given.users('ann', 'bob', 'cid', 'dan', 'eve', 'outsider')
  await app.given.group('pub', {
    owner: 'ann',
    members: { moderators: ['cid'], participants: ['bob', 'dan'] },
  })
})

test('a ban removes a member and keeps them out until it is lifted', async () => {
  const { data } = await banUser({ params: of('BOB'), onBehalfOf: 'cid' })
  expect(data).toEqual({ success: true, message: expect.any(String) })
  expect(await lastAction()).toMatchObject({
    action: 'banned',
    entities: { by: { entity: { uid: 'cid' } }, on: { entity: { uid: 'bob' } } },
  })
  expect((await getGroup({ params, onBehalfOf: 'bob' })).data).toMatchObject({
    hasJoined: false,
    membersCount: 3,
  })
  expect((await listConversations({ onBehalfOf: 'bob' })).data).toEqual([])
  await expect(addMembers({ params, onBehalfOf: 'bob' })).rejects.toMatchObject(
    refusal('ERR_BANNED_GROUPMEMBER'),
  )
  await unbanUser({ params: of('bob'), onBehalfOf: 'cid' })
  expect(await lastAction()).toMatchObject({ action: 'unbanned' })
  expect((await getGroup({ params })).data.membersCount).toBe(3)
  await addMembers({ params, onBehalfOf: 'bob' })
  expect((await getGroup({ params })).data.membersCount).toBe(4)
})

test('somebody who never was a member can be banned, once', async () => {
  await banUser({ params: of('eve'), onBehalfOf: 'cid' })
  expect((await getGroup({ params })).data.membersCount).toBe(4)
  await expect(banUser({ params: of('eve') })).rejects.toMatchObject(
    refusal('ERR_ALREADY_BANNED', 409),
  )
})

test('a ban is refused for groups and users that do not exist, and to outsiders', async () => {
  const ban = (guid: string, uid: string, onBehalfOf: string) =>
    banUser({ params: { guid, uid }, onBehalfOf })
  await expect(ban('nothing', 'bob', 'ann')).rejects.toMatchObject(refusal('ERR_GUID_NOT_FOUND'))
  await expect(ban('pub', 'nobody', 'ann')).rejects.toMatchObject(refusal('ERR_UID_NOT_FOUND'))
  await expect(ban('pub', 'bob', 'nobody')).rejects.toMatchObject(refusal('ERR_UID_NOT_FOUND'))
  await expect(ban('pub', 'bob', 'outsider')).rejects.toMatchObject(refusal('ERR_GROUP_NOT_JOINED'))
})

test('lifting a ban is refused where there is none, and to outsiders and participants', async () => {
  const unban = (guid: string, uid: string, onBehalfOf: string) =>
    unbanUser({ params: { guid, uid }, onBehalfOf })
  await expect(unban('pub', 'bob', 'ann')).rejects.toMatchObject(
    refusal('ERR_NOT_A_BANNED_USER', 404),
  )
  await expect(unban('nothing', 'eve', 'ann')).rejects.toMatchObject(refusal('ERR_GUID_NOT_FOUND'))
  await expect(unban('pub', 'nobody', 'ann')).rejects.toMatchObject(refusal('ERR_UID_NOT_FOUND'))
  await expect(unban('pub', 'eve', 'outsider')).rejects.toMatchObject(
    refusal('ERR_GROUP_NOT_JOINED'),
  )
  await expect(unban('pub', 'eve', 'bob')).rejects.toMatchObject(
    refusal('ERR_GROUP_NO_MODERATOR_SCOPE'),
  )
})

test('the list has plain users by uid, in pages, and can be searched', async () => {
  await app.given.users('zac', 'yan')
  await app.given.user('xia', { name: 'Zacharia' })
  for (const uid of ['zac', 'xia', 'yan']) await banUser({ params: of(uid) })
  const list = (at: object) => listBannedUsers({ params, query: { perPage: 2, ...at } })
  const uids = (pages: { uid: string }[][]) => pages.map((page) => page.map(({ uid }) => uid))
  expect(uids(await walkByPage(list))).toEqual([
    ['eve', 'xia'],
    ['yan', 'zac'],
  ])
  expect(uids(await walkByCursor(list)).flat()).toEqual(['eve', 'xia', 'yan', 'zac'])
  const { data, meta } = await listBannedUsers({ params, query: { searchKey: 'ZAC' } })
  expect(data).toMatchObject([{ uid: 'xia', name: 'Zacharia' }, { uid: 'zac' }])
  expect(data[0]).not.toHaveProperty('scope')
  expect(meta.pagination).toMatchObject({ total: 2, count: 2, total_pages: 1 })
  const { data: seen } = await listBannedUsers({ params, onBehalfOf: 'cid' })
  expect(seen[0]).toMatchObject({ uid: 'eve', conversationId: 'cid_user_eve' })
})

test('the list is refused for groups and users that do not exist, outsiders, participants', async () => {
  const list = (guid: string, onBehalfOf: string) =>
    listBannedUsers({ params: { guid }, onBehalfOf })
  await expect(list('nothing', 'ann')).rejects.toMatchObject(refusal('ERR_GUID_NOT_FOUND'))
  await expect(list('pub', 'nobody')).rejects.toMatchObject(refusal('ERR_UID_NOT_FOUND'))
  await expect(list('pub', 'outsider')).rejects.toMatchObject(refusal('ERR_GROUP_NOT_JOINED'))
  await expect(list('pub', 'bob')).rejects.toMatchObject(refusal('ERR_GROUP_NO_MODERATOR_SCOPE'))
})

test('a role may be denied each of these', async () => {
  await app.given.role('guest')
  await app.given.user('gus', { role: 'guest' })
  await addMembers({ params, body: { admins: ['gus'] } })
  const featuresToRestrict = ['ban', 'unban', 'listBannedUsers']
  await restrictFeatures({ params: { role: 'guest' }, body: { featuresToRestrict } })
  const calls = [
    () => banUser({ params: of('bob'), onBehalfOf: 'gus' }),
    () => unbanUser({ params: of('eve'), onBehalfOf: 'gus' }),
    () => listBannedUsers({ params, onBehalfOf: 'gus' }),
  ]
  for (const call of calls) {
    await expect(call()).rejects.toMatchObject(refusal('ERR_PERMISSION_DENIED', 403))
  }
})
