import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'
import { walkByCursor, walkByPage } from '../../../../../testing/src/service/walk.ts'

let now = 1_700_000_000
const app = await startTestApp({ clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const { blockUsers, unblockUsers, listBlockedUsers, updateUser, deactivateUsers, deleteUser } =
  app.as('full')

const block = (uid: string, ...blockedUids: string[]) =>
  blockUsers({ params: { uid }, body: { blockedUids } })
const blockedBy = async (uid: string) =>
  (await listBlockedUsers({ params: { uid } })).data.map((user) => user.uid)

test('blocks, with a result per uid; blocking again changes nothing', async () => {
  await app.given.users('ann', 'bea', 'cid', 'asleep')
  await deactivateUsers({ body: { uidsToDeactivate: ['asleep'] } })
  const { data } = await block('Ann', 'BEA', 'bea', 'ann', 'nobody', 'asleep')
  const failed = (code: string) =>
    expect.objectContaining({ success: false, error: expect.objectContaining({ code }) })
  expect(data).toEqual({
    bea: { success: true, message: expect.any(String) },
    ann: failed('ERR_CANNOT_BLOCK_SELF'),
    nobody: failed('ERR_UID_NOT_FOUND'),
    asleep: failed('ERR_UID_NOT_FOUND'),
  })
  expect((await app.events()).at(-1)).toEqual({
    name: 'user.blocked',
    payload: { uid: 'ann', blockedUids: ['bea'] },
  })
  const blockedAt = now++
  expect((await block('ann', 'bea', 'cid')).data).toMatchObject({
    bea: { success: true },
    cid: { success: true },
  })
  expect((await app.events()).at(-1)).toEqual({
    name: 'user.blocked',
    payload: { uid: 'ann', blockedUids: ['cid'] },
  })
  const { data: rows } = await listBlockedUsers({ params: { uid: 'ann' } })
  expect(rows.map((row) => [row.uid, row.blockedAt])).toEqual([
    ['bea', blockedAt],
    ['cid', blockedAt + 1],
  ])
  expect(await blockedBy('bea')).toEqual([])
})

test('unblocks, with a result per uid', async () => {
  await app.given.users('un', 'un-a', 'un-b', 'un-c')
  await block('un', 'un-a', 'un-b')
  const unblock = (uid: string, ...blockedUids: string[]) =>
    unblockUsers({ params: { uid }, body: { blockedUids } })
  const { data } = await unblock('UN', 'UN-A', 'un-c', 'nobody')
  expect(data).toEqual({
    'un-a': { success: true, message: expect.any(String) },
    'un-c': { success: false, message: expect.any(String) },
    nobody: { success: false, message: expect.any(String) },
  })
  expect(await blockedBy('un')).toEqual(['un-b'])
  const events = await app.events()
  expect(events.at(-1)).toEqual({
    name: 'user.unblocked',
    payload: { uid: 'un', blockedUids: ['un-a'] },
  })
  await unblock('un', 'un-a')
  expect(await app.events()).toEqual(events)
  await expect(unblock('nobody', 'un')).rejects.toMatchObject({ code: 'ERR_UID_NOT_FOUND' })
})

test('refuses an unknown user, and lists that are empty or longer than 25', async () => {
  await app.given.users('refused')
  await expect(block('nobody', 'refused')).rejects.toMatchObject({
    code: 'ERR_UID_NOT_FOUND',
    status: 404,
  })
  const tooMany = Array.from({ length: 26 }, (_, n) => `u${n}`)
  for (const blockedUids of [[], tooMany]) {
    const input = { params: { uid: 'refused' }, body: { blockedUids } }
    await expect(blockUsers(input)).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' })
    await expect(unblockUsers(input)).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' })
  }
})

test('two users may block each other, and either may end their own block only', async () => {
  await app.given.users('this', 'that')
  await block('this', 'that')
  await block('that', 'this')
  const both = async (uid: string) =>
    (await listBlockedUsers({ params: { uid }, query: { direction: 'both' } })).data
  expect(await both('this')).toMatchObject([{ uid: 'that', blockedByMe: true, hasBlockedMe: true }])
  await unblockUsers({ params: { uid: 'this' }, body: { blockedUids: ['that'] } })
  const [that] = await both('this')
  expect(that).toMatchObject({ hasBlockedMe: true })
  expect(that).not.toHaveProperty('blockedByMe')
})

describe('requirement 4.7: list blocked users', () => {
  const uids = Array.from({ length: 104 }, (_, n) => `b${String(n).padStart(3, '0')}`)
  const params = { uid: 'blocker' }
  const list = (query: Record<string, unknown> = {}) => listBlockedUsers({ params, query })
  let blockedAt = 0

  beforeAll(async () => {
    await app.given.users('blocker', 'blocks-blocker', 'lonely')
    for (const uid of uids) await app.given.user(uid)
    blockedAt = ++now
    for (let n = 0; n < uids.length; n += 25) await block('blocker', ...uids.slice(n, n + 25))
    await block('blocks-blocker', 'blocker')
  })

  test('requirement 4.7: GET /users/{uid}/blockedusers with the apikey answers 200', async () => {
    const response = await fetch(`${app.origin}/v3/users/blocker/blockedusers`, {
      headers: { appId: app.appId, apikey: app.keys.full },
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    const answer: unknown = await response.json()
    expect(answer).toEqual(await list())
  })

  test('requirement 4.7: perPage is 100 and page is 1 unless the query says otherwise', async () => {
    const { data, meta } = await list()
    expect(data).toHaveLength(100)
    expect(meta.pagination).toEqual({
      total: 104,
      count: 100,
      per_page: 100,
      current_page: 1,
      total_pages: 2,
    })
    const second = await list({ page: 2 })
    expect(second.data.map(({ uid }) => uid)).toEqual(uids.slice(100))
    const small = await list({ perPage: 3, page: 35 })
    expect(small.meta.pagination).toEqual({
      total: 104,
      count: 2,
      per_page: 3,
      current_page: 35,
      total_pages: 35,
    })
  })

  test('requirement 4.7: meta.cursor has updatedAt and affix', async () => {
    const { meta } = await list()
    expect(meta.cursor).toMatchObject({ updatedAt: expect.any(Number), affix: 'prepend' })
    expect(meta.cursor.updatedAt).toBeGreaterThan(1_000_000_000)
    expect((await listBlockedUsers({ params: { uid: 'lonely' } })).meta).toEqual({
      pagination: { total: 0, count: 0, per_page: 100, current_page: 1, total_pages: 0 },
      cursor: { affix: 'prepend' },
    })
  })

  test('requirement 4.7: an entry has the user and the block', async () => {
    const updatedAt = ++now
    await updateUser({
      params: { uid: 'b001' },
      body: {
        name: 'Bee',
        link: 'https://example.com/bee',
        avatar: 'https://example.com/bee.png',
        metadata: { rawMetadata: '{"a":1}', '@private': { email: 'bee@example.com' } },
      },
    })
    const { data } = await list({ searchKey: 'bee' })
    expect(data).toEqual([
      {
        uid: 'b001',
        name: 'Bee',
        link: 'https://example.com/bee',
        avatar: 'https://example.com/bee.png',
        metadata: { rawMetadata: '{"a":1}' },
        status: 'offline',
        role: 'default',
        blockedByMe: true,
        blockedByMeAt: blockedAt,
        blockedAt,
        createdAt: expect.any(Number),
        updatedAt,
        conversationId: 'b001_user_blocker',
      },
    ])
  })

  test('requirement 4.7: by page and by cursor, every entry comes once', async () => {
    const byPage = await walkByPage((at) => list({ perPage: 20, ...at }))
    const byCursor = await walkByCursor((at) => list({ perPage: 20, ...at }))
    expect(byPage.flat().map(({ uid }) => uid)).toEqual(uids)
    expect(byCursor).toEqual(byPage)
  })

  test('lists either direction or both, and searches in each', async () => {
    const found = async (query: Record<string, unknown>) =>
      (await list({ perPage: 1000, ...query })).data.map(({ uid }) => uid)
    expect(await found({ direction: 'blockedByMe' })).toEqual(uids)
    expect(await found({ direction: 'hasBlockedMe' })).toEqual(['blocks-blocker'])
    expect(await found({ direction: 'both' })).toEqual([...uids, 'blocks-blocker'])
    expect(await found({ direction: 'both', searchKey: 'BL' })).toEqual(['blocks-blocker'])
    expect(await found({ searchKey: 'B10' })).toEqual(['b100', 'b101', 'b102', 'b103'])
    expect(await found({ searchKey: '%' })).toEqual([])
  })

  test('leaves out users who are deactivated or gone', async () => {
    await deactivateUsers({ body: { uidsToDeactivate: ['b000'] } })
    await deleteUser({ params: { uid: 'b002' }, body: { permanent: true } })
    const { data, meta } = await list({ perPage: 2 })
    expect(data.map(({ uid }) => uid)).toEqual(['b001', 'b003'])
    expect(meta.pagination.total).toBe(102)
  })

  test('refuses an unknown user, a foreign cursor, a page too deep', async () => {
    await expect(listBlockedUsers({ params: { uid: 'nobody' } })).rejects.toMatchObject({
      code: 'ERR_UID_NOT_FOUND',
      status: 404,
    })
    const wrong = [
      { cursor: 'x' },
      { page: 101, perPage: 1000 },
      { perPage: 0 },
      { direction: 'sideways' },
    ]
    for (const query of wrong) {
      await expect(list(query)).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST', status: 400 })
    }
  })
})
