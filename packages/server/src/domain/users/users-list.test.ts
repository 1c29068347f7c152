import type { Api } from '@chorale/contract/api'
import type { CallInput } from '@chorale/contract/operation'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { walkByCursor, walkByPage } from '../../../../testing/src/service/walk.ts'

type Query = NonNullable<CallInput<Api['listUsers']>['query']>

const uidsOf = ({ data }: { data: readonly { uid: string }[] }) => data.map(({ uid }) => uid)

describe('filters', async () => {
  const app = await startTestApp()
  afterAll(() => app[Symbol.asyncDispose]())
  const { listUsers, deactivateUsers } = app.as('full')

  beforeAll(async () => {
    await app.given.role('manager')
    await app.given.role('guest')
    await app.given.user('ada', {
      name: 'Ada Lovelace',
      role: 'manager',
      tags: ['early', 'vip'],
    })
    await app.given.user('bob', { name: 'Bob', tags: ['vip'] })
    await app.given.user('ada-2', { name: 'Zoé', role: 'guest' })
    await app.given.user('cleo', { name: 'adamant', role: 'guest', tags: ['early'] })
    await app.given.user('gone', { name: 'Adele', role: 'guest', tags: ['early'] })
    await app.given.user('per_cent', { name: '100% sure' })
    await deactivateUsers({ body: { uidsToDeactivate: ['gone'] } })
    // What the gateway will write; in the app and in its shadow.
    await sql`
      insert into presence (app_id, uid, online, last_active_at)
      select app_id, uid, uid = 'bob', 1700000000 from users where uid in ('bob', 'ada')
    `.execute(app.db)
  })

  const filters: [string, Query, string[]][] = [
    ['all active users by name', {}, ['per_cent', 'ada', 'cleo', 'bob', 'ada-2']],
    ['the start of name or uid', { searchKey: 'ADA' }, ['ada', 'cleo', 'ada-2']],
    ['the start of the name only', { searchKey: 'ada', searchIn: ['name'] }, ['ada', 'cleo']],
    ['the start of the uid only', { searchKey: 'Ada', searchIn: ['uid'] }, ['ada', 'ada-2']],
    ['accents however they are composed', { searchKey: 'ZOE\u0301' }, ['ada-2']],
    ['a per cent sign as a letter', { searchKey: '100%' }, ['per_cent']],
    ['no wildcard: per cent', { searchKey: '%' }, []],
    ['no wildcard: underscore', { searchKey: 'per_c' }, ['per_cent']],
    ['no wildcard: underscore alone', { searchKey: '_' }, []],
    ['no middle of a name', { searchKey: 'lovelace' }, []],
    ['who is online', { status: 'available' }, ['bob']],
    ['who is offline', { status: 'offline' }, ['per_cent', 'ada', 'cleo', 'ada-2']],
    ['a role', { role: 'Manager' }, ['ada']],
    ['several roles', { roles: ['manager', 'guest'] }, ['ada', 'cleo', 'ada-2']],
    ['a role and roles together', { role: 'manager', roles: ['guest'] }, ['ada', 'cleo', 'ada-2']],
    ['an unknown role', { role: 'nothing' }, []],
    ['a tag', { tags: ['early'] }, ['ada', 'cleo']],
    ['any of the tags', { tags: ['early', 'vip'] }, ['ada', 'cleo', 'bob']],
    ['only those who are named', { uids: ['ADA', 'bob', 'nobody'] }, ['ada', 'bob']],
    ['only deactivated users', { onlyDeactivated: true }, ['gone']],
    [
      'deactivated users too',
      { withDeactivated: true },
      ['per_cent', 'ada', 'cleo', 'gone', 'bob', 'ada-2'],
    ],
    ['a search among the deactivated', { searchKey: 'gon', onlyDeactivated: true }, ['gone']],
    [
      'everything together',
      { searchKey: 'ad', withDeactivated: true, roles: ['guest'], tags: ['early'] },
      ['cleo', 'gone'],
    ],
  ]
  test.each(filters)('lists %s', async (_, query, uids) => {
    const answer = await listUsers({ query })
    expect(uidsOf(answer)).toEqual(uids)
    expect(answer.meta.pagination).toEqual({
      total: uids.length,
      count: uids.length,
      per_page: 100,
      current_page: 1,
      total_pages: Math.ceil(uids.length / 100),
    })
  })

  test('shows status and last activity, and tags only when asked', async () => {
    const bob = async (query: Query) =>
      (await listUsers({ query: { searchKey: 'bob', ...query } })).data[0]
    expect(await bob({})).toMatchObject({ status: 'available', lastActiveAt: 1_700_000_000 })
    expect(await bob({})).not.toHaveProperty('tags')
    expect(await bob({ withTags: true })).toHaveProperty('tags', ['vip'])
    const [gone] = (await listUsers({ query: { onlyDeactivated: true } })).data
    expect(gone).toHaveProperty('deactivatedAt')
  })

  test('counts behind a cursor only when asked', async () => {
    const first = await listUsers({ query: { perPage: 2 } })
    const cursor = first.meta.cursor.next ?? ''
    const total = async (query: Query) =>
      (await listUsers({ query: { perPage: 2, cursor, ...query } })).meta.pagination.total
    expect(first.meta.pagination.total).toBe(5)
    expect(await total({})).toBe(3)
    expect(await total({ count: true })).toBe(5)
  })

  const refused: [string, Record<string, unknown>, string][] = [
    ['a field that cannot be searched', { searchKey: 'a', searchIn: ['email'] }, 'searchIn.0'],
    ['an unknown status', { status: 'online' }, 'status'],
    ['an empty page', { perPage: 0 }, 'perPage'],
    ['a page of 1001', { perPage: 1001 }, 'perPage'],
    ['the page before the first', { page: 0 }, 'page'],
    ['a page beyond 100,000 rows', { page: 101, perPage: 1000 }, 'page'],
    ['a cursor that it did not give', { cursor: 'x' }, 'cursor'],
    [
      'a cursor of another list',
      { cursor: Buffer.from('["ada"]').toString('base64url') },
      'cursor',
    ],
  ]
  test.each(refused)('refuses %s', async (_, query, field) => {
    await expect(listUsers({ query })).rejects.toMatchObject({
      code: 'ERR_BAD_REQUEST',
      status: 400,
      details: { [field]: [expect.any(String)] },
    })
  })

  test('reaches the deepest page', async () => {
    expect((await listUsers({ query: { page: 100, perPage: 1000 } })).data).toEqual([])
  })
})

describe('on behalf of a user', async () => {
  const app = await startTestApp()
  afterAll(() => app[Symbol.asyncDispose]())
  const {
    listUsers,
    addFriends,
    blockUsers,
    setRolePermissions,
    restrictFeatures,
    allowFeatures,
    deactivateUsers,
  } = app.as('full')
  const seenBy = (onBehalfOf: string, query: Query = {}) => listUsers({ query, onBehalfOf })
  const permit = (role: string, permissions: Record<string, string | string[] | null>) =>
    setRolePermissions({ params: { role }, body: { permissions } })

  beforeAll(async () => {
    await app.given.role('guest')
    await app.given.role('manager')
    await app.given.user('anna', { role: 'guest', metadata: { '@private': 1, open: 2 } })
    await app.given.user('bert', { role: 'manager' })
    await app.given.users('carl')
    await app.given.role('shy', { settings: { listUsers: 'friendsOnly' } })
    await app.given.user('shy-1', { role: 'shy' })
    await addFriends({ params: { uid: 'shy-1' }, body: { accepted: ['bert'] } })
    await app.given.role('ruled')
    await app.given.user('ruled-1', { role: 'ruled' })
    await addFriends({ params: { uid: 'ruled-1' }, body: { accepted: ['carl', 'anna'] } })
  })

  test('shows the conversation, the blocks, and nothing private of others', async () => {
    await blockUsers({ params: { uid: 'carl' }, body: { blockedUids: ['anna'] } })
    const [anna, bert] = (await seenBy('carl', { searchKey: 'a' })).data.concat(
      (await seenBy('carl', { searchKey: 'bert' })).data,
    )
    expect(anna).toMatchObject({ conversationId: 'anna_user_carl', blockedByMe: true })
    expect(anna?.metadata).toEqual({ open: 2 })
    expect(bert).not.toHaveProperty('blockedByMe')
    const [carl] = (await seenBy('anna', { searchKey: 'carl' })).data
    expect(carl).toMatchObject({ hasBlockedMe: true })
    const [own] = (await seenBy('anna', { searchKey: 'anna' })).data
    expect(own?.metadata).toEqual({ '@private': 1, open: 2 })
  })

  test('role settings: friendsOnly lists friends, whatever is searched', async () => {
    expect(uidsOf(await seenBy('shy-1'))).toEqual(['bert'])
    expect(uidsOf(await seenBy('SHY-1', { searchKey: 'a' }))).toEqual([])
    expect((await seenBy('shy-1')).meta.pagination.total).toBe(1)
  })

  test('permissions: friends, some roles, both, nobody', async () => {
    await permit('ruled', { 'listUsers.mode': 'friends' })
    expect(uidsOf(await seenBy('ruled-1'))).toEqual(['anna', 'carl'])
    await permit('ruled', { 'listUsers.allowedRoles': ['guest', 'manager'] })
    expect(uidsOf(await seenBy('ruled-1'))).toEqual(['anna'])
    await permit('ruled', { 'listUsers.mode': 'all' })
    expect(uidsOf(await seenBy('ruled-1'))).toEqual(['anna', 'bert'])
    expect(uidsOf(await seenBy('ruled-1', { role: 'guest' }))).toEqual(['anna'])
    const none = await seenBy('ruled-1', { role: 'default' })
    expect(none.data).toEqual([])
    expect(none.meta.pagination.total).toBe(0)
    await permit('ruled', { listUsers: 'deny' })
    await expect(seenBy('ruled-1')).rejects.toMatchObject({
      code: 'ERR_PERMISSION_DENIED',
      status: 403,
    })
    await permit('ruled', { listUsers: null, 'listUsers.allowedRoles': null })
    expect(uidsOf(await seenBy('ruled-1'))).toHaveLength(5)
  })

  test.each(['listUsers', 'u.listUsers'])('refuses the restricted feature %s', async (name) => {
    const params = { role: 'ruled' }
    await restrictFeatures({ params, body: { featuresToRestrict: [name] } })
    await expect(seenBy('ruled-1')).rejects.toMatchObject({ code: 'ERR_PERMISSION_DENIED' })
    await listUsers()
    await allowFeatures({ params, body: { featuresToAllow: [name] } })
    await seenBy('ruled-1')
  })

  test('refuses a viewer who does not exist or is deactivated', async () => {
    await app.given.users('asleep')
    await deactivateUsers({ body: { uidsToDeactivate: ['asleep'] } })
    for (const uid of ['nobody', 'asleep']) {
      await expect(seenBy(uid)).rejects.toMatchObject({ code: 'ERR_UID_NOT_FOUND', status: 404 })
    }
  })
})

describe('paging', async () => {
  const app = await startTestApp()
  afterAll(() => app[Symbol.asyncDispose]())
  const { listUsers, deleteUser } = app.as('full')
  // Names repeat, so that only the uid tells some rows apart.
  const uids = Array.from({ length: 23 }, (_, n) => `u${String(n).padStart(2, '0')}`)
  const nameOf = (uid: string) => `Name ${Number(uid.slice(1)) % 4}`
  const inOrder = uids.toSorted((a, b) =>
    nameOf(a) === nameOf(b) ? (a < b ? -1 : 1) : nameOf(a) < nameOf(b) ? -1 : 1,
  )

  beforeAll(async () => {
    for (const uid of uids) await app.given.user(uid, { name: nameOf(uid) })
  })

  const chunks = (list: readonly string[], size: number) =>
    Array.from({ length: Math.ceil(list.length / size) }, (_, n) =>
      list.slice(n * size, (n + 1) * size),
    )

  test.each([
    ['the whole list', {}],
    ['a search', { searchKey: 'name' }],
    ['a search in names and uids', { searchKey: 'u', withDeactivated: true }],
  ])('by page and by cursor, %s shows every row once, in the same order', async (_, filter) => {
    const query = { ...filter, perPage: 5 }
    const byPage = await walkByPage((at) => listUsers({ query: { ...query, ...at } }))
    const byCursor = await walkByCursor((at) => listUsers({ query: { ...query, ...at } }))
    const expected = chunks(inOrder, 5)
    expect(byPage.map((page) => page.map(({ uid }) => uid))).toEqual(expected)
    expect(byCursor.map((page) => page.map(({ uid }) => uid))).toEqual(expected)
  })

  test('says which page it is, and ends', async () => {
    const { meta } = await listUsers({ query: { perPage: 5, page: 5 } })
    expect(meta.pagination).toEqual({
      total: 23,
      count: 3,
      per_page: 5,
      current_page: 5,
      total_pages: 5,
    })
    expect(meta.cursor).toEqual({ affix: 'prepend', updatedAt: expect.any(Number) })
    const beyond = await listUsers({ query: { perPage: 5, page: 6 } })
    expect(beyond.data).toEqual([])
    expect(beyond.meta.cursor).toEqual({ affix: 'prepend' })
  })

  test('a cursor keeps its place while users come and go before it', async () => {
    const first = await listUsers({ query: { perPage: 5 } })
    const cursor = first.meta.cursor.next ?? ''
    await app.given.user('aaa', { name: 'A newcomer' })
    await deleteUser({ params: { uid: inOrder[0] ?? '' }, body: { permanent: true } })
    await deleteUser({ params: { uid: inOrder[4] ?? '' } })
    const rest = await listUsers({ query: { perPage: 1000, cursor } })
    expect(uidsOf(rest)).toEqual(inOrder.slice(5))
  })
})
