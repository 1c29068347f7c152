import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'
import { walkByCursor, walkByPage } from '../../../../../testing/src/service/walk.ts'

let now = 1_700_000_000
const app = await startTestApp({ clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const { addFriends, listFriends, removeFriends, blockUsers, deactivateUsers, reactivateUsers } =
  app.as('full')

const friendsOf = async (uid: string) =>
  (await listFriends({ params: { uid } })).data.map((friend) => friend.uid)

describe('add', () => {
  test('makes friends of both, with a result per uid', async () => {
    await app.given.users('ann', 'bea', 'cid', 'asleep')
    await deactivateUsers({ body: { uidsToDeactivate: ['asleep'] } })
    await addFriends({ params: { uid: 'cid' }, body: { accepted: ['ann'] } })
    const { data } = await addFriends({
      params: { uid: 'Ann' },
      body: { accepted: ['BEA', 'bea', 'cid', 'ann', 'nobody', 'asleep'] },
    })
    const failed = (code: string) =>
      expect.objectContaining({ success: false, error: expect.objectContaining({ code }) })
    expect(data.accepted).toEqual({
      bea: { success: true, message: expect.any(String) },
      cid: failed('ERR_ALREADY_FRIEND'),
      ann: failed('ERR_CANNOT_FORM_SELF_RELATION'),
      nobody: failed('ERR_UID_NOT_FOUND'),
      asleep: failed('ERR_UID_NOT_FOUND'),
    })
    expect(await friendsOf('ann')).toEqual(['bea', 'cid'])
    expect(await friendsOf('bea')).toEqual(['ann'])
    expect((await app.events()).at(-1)).toEqual({
      name: 'friends.added',
      payload: { uid: 'ann', friends: ['bea'] },
    })
  })

  test('refuses an unknown user, no friends at all, and more than 25', async () => {
    await app.given.users('adder')
    const add = (uid: string, accepted: string[]) =>
      addFriends({ params: { uid }, body: { accepted } })
    await expect(add('nobody', ['adder'])).rejects.toMatchObject({
      code: 'ERR_UID_NOT_FOUND',
      status: 404,
    })
    const tooMany = Array.from({ length: 26 }, (_, n) => `u${n}`)
    for (const accepted of [[], tooMany, ['no uid']]) {
      await expect(add('adder', accepted)).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' })
    }
  })
})

test('removes the friendship on both sides, or, if one is no friend, of no one', async () => {
  await app.given.users('rem', 'rem-a', 'rem-b', 'rem-c')
  await addFriends({ params: { uid: 'rem' }, body: { accepted: ['rem-a', 'rem-b'] } })
  const remove = (...friends: string[]) =>
    removeFriends({ params: { uid: 'rem' }, body: { friends } })
  await expect(remove('rem-a', 'rem-c')).rejects.toMatchObject({
    code: 'ERR_NOT_A_FRIEND',
    status: 404,
  })
  expect(await friendsOf('rem')).toEqual(['rem-a', 'rem-b'])
  expect((await remove('REM-A', 'rem-a')).data.success).toBe(true)
  expect(await friendsOf('rem')).toEqual(['rem-b'])
  expect(await friendsOf('rem-a')).toEqual([])
  expect((await app.events()).at(-1)).toEqual({
    name: 'friends.removed',
    payload: { uid: 'rem', friends: ['rem-a'] },
  })
  await expect(
    removeFriends({ params: { uid: 'nobody' }, body: { friends: ['rem'] } }),
  ).rejects.toMatchObject({ code: 'ERR_UID_NOT_FOUND' })
})

describe('list', () => {
  const uids = Array.from({ length: 12 }, (_, n) => `f${String(n).padStart(2, '0')}`)
  const params = { uid: 'popular' }

  beforeAll(async () => {
    await app.given.users('popular', 'unpopular')
    for (const uid of uids) {
      await app.given.user(uid, {
        name: `Name ${Number(uid.slice(1)) % 3}`,
        metadata: { '@private': 1 },
      })
    }
    await addFriends({ params, body: { accepted: uids } })
  })

  test('by page and by cursor, shows every friend once, in the order of names', async () => {
    const byPage = await walkByPage((at) => listFriends({ params, query: { perPage: 5, ...at } }))
    const byCursor = await walkByCursor((at) =>
      listFriends({ params, query: { perPage: 5, ...at } }),
    )
    const names = byPage.flat().map(({ name, uid }) => `${name} ${uid}`)
    expect(names).toEqual(names.toSorted())
    expect(
      byPage
        .flat()
        .map(({ uid }) => uid)
        .toSorted(),
    ).toEqual(uids)
    expect(byCursor).toEqual(byPage)
  })

  test('describes the page, and shows friends as the user sees them', async () => {
    const blockedAt = ++now
    await blockUsers({ params, body: { blockedUids: ['f03'] } })
    const { data, meta } = await listFriends({ params, query: { searchKey: 'F03' } })
    expect(meta).toEqual({
      pagination: { total: 1, count: 1, per_page: 100, current_page: 1, total_pages: 1 },
      cursor: { affix: 'prepend', updatedAt: expect.any(Number) },
    })
    expect(data).toEqual([
      {
        uid: 'f03',
        name: 'Name 0',
        role: 'default',
        status: 'offline',
        createdAt: expect.any(Number),
        metadata: {},
        conversationId: 'f03_user_popular',
        blockedByMe: true,
        blockedByMeAt: blockedAt,
        blockedAt,
      },
    ])
    expect((await listFriends({ params, query: { searchKey: 'name 1' } })).data).toHaveLength(4)
    expect((await listFriends({ params: { uid: 'unpopular' } })).data).toEqual([])
  })

  test('leaves out deactivated friends until they come back', async () => {
    await deactivateUsers({ body: { uidsToDeactivate: ['f05'] } })
    expect(await friendsOf('popular')).not.toContain('f05')
    expect((await listFriends({ params })).meta.pagination.total).toBe(11)
    await reactivateUsers({ body: { uidsToActivate: ['f05'] } })
    expect(await friendsOf('popular')).toContain('f05')
  })

  test('refuses an unknown user, a foreign cursor, a page too deep', async () => {
    await expect(listFriends({ params: { uid: 'nobody' } })).rejects.toMatchObject({
      code: 'ERR_UID_NOT_FOUND',
    })
    for (const query of [{ cursor: 'x' }, { page: 101, perPage: 1000 }, { perPage: 1001 }]) {
      await expect(listFriends({ params, query })).rejects.toMatchObject({
        code: 'ERR_BAD_REQUEST',
        status: 400,
      })
    }
  })
})

describe('at the same moment', async () => {
  const busy = await startTestApp({ shadow: false, sockets: false })
  afterAll(() => busy[Symbol.asyncDispose]())
  const calls = busy.as('full')
  const make = (uids: readonly string[]) =>
    Promise.all(uids.map((uid) => calls.createUser({ body: { uid, name: uid } })))
  const add = (uid: string, accepted: string[]) =>
    calls.addFriends({ params: { uid }, body: { accepted } })
  const total = async (uid: string) =>
    (await calls.listFriends({ params: { uid } })).meta.pagination.total

  test('calls that cross each other make one friendship each and never deadlock', async () => {
    const uids = Array.from({ length: 20 }, (_, n) => `x${String(n).padStart(2, '0')}`)
    await make(uids)
    const others = (uid: string) => uids.filter((other) => other !== uid)
    await Promise.all(
      uids.map((uid, n) => add(uid, n % 2 ? others(uid) : others(uid).toReversed())),
    )
    for (const uid of uids) expect(await total(uid)).toBe(19)
    const added = (await busy.events()).filter(({ name }) => name === 'friends.added')
    const pairs = added.flatMap(({ payload }) => {
      const { uid, friends } = payload as { uid: string; friends: string[] }
      return friends.map((friend) => [uid, friend].toSorted().join(' '))
    })
    expect(pairs.toSorted()).toEqual([...new Set(pairs)].toSorted())
    expect(await deadlocks()).toBe(0)
  })

  test('a user has 1000 friends at most, whoever adds', { timeout: 120_000 }, async () => {
    const uids = Array.from({ length: 1010 }, (_, n) => `m${n}`)
    const batches = Array.from({ length: 41 }, (_, n) => uids.slice(n * 25, (n + 1) * 25))
    for (const batch of [['hub'], ...batches]) await make(batch)
    for (const batch of batches.slice(0, 39)) await add('hub', batch)
    const late = uids.slice(975)
    const answers = await Promise.all(
      late.map((uid, n) => (n % 2 ? add('hub', [uid]) : add(uid, ['hub']))),
    )
    const outcomes = answers.flatMap(({ data }) => Object.values(data.accepted))
    const refused = outcomes.filter(({ success }) => !success)
    expect(outcomes).toHaveLength(35)
    expect(refused.map(({ error }) => error?.code)).toEqual(
      Array.from({ length: 10 }, () => 'ERR_PLAN_QUOTA_RESTRICTION'),
    )
    expect(await total('hub')).toBe(1000)
    const elsewhere = busy.client(await busy.anotherApp(), 'full')
    for (const uid of ['hub', 'm1']) await elsewhere.createUser({ body: { uid, name: uid } })
    const there = { params: { uid: 'hub' }, body: { accepted: ['m1'] } }
    expect((await elsewhere.addFriends(there)).data.accepted.m1?.success).toBe(true)
  })

  /** A connection reports what it counted when it ends, so the others are ended first. */
  async function deadlocks(): Promise<number> {
    await sql`
      select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(busy.db)
    const { rows } = await sql<{ deadlocks: number }>`
      select deadlocks from pg_stat_database where datname = current_database()`.execute(busy.db)
    return rows[0]?.deadlocks ?? -1
  }
})
