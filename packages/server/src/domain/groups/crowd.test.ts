import type { Api } from '@chorale/contract/api'
import type { Client } from '@chorale/contract/operation'
import { ChoraleError } from '@chorale/sdk'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { deadlocksIn, disorderIn, logOf } from '../../../../testing/src/data/log-entries.ts'
import { startTestApp, type TestApp } from '../../../../testing/src/service/test-app.ts'
import type { ConversationKey } from '../../outbox/committed.ts'

// Calls at the same time; nothing here can be followed by a shadow.

type Call = (client: Client<Api>) => Promise<unknown>

/** An app without limits to speak of, and users `u0`, `u1`, ... loaded past the API. */
async function crowdedApp(users: number, settings: Record<string, number> = {}): Promise<TestApp> {
  const app = await startTestApp({ shadow: false })
  const rates = { 'rateLimits.core': 1_000_000, 'rateLimits.standard': 1_000_000 }
  await app.as('full').mapAppSettings({
    params: { appId: app.appId },
    body: { settings: { ...rates, ...settings } },
  })
  await sql`
    insert into users (app_id, uid, name, sort_name, role, created_at)
    select ${app.appId}, 'u' || n, 'U' || n, 'u' || n, 'default', 1700000000
    from generate_series(0, ${users}::int - 1) as n`.execute(app.db)
  return app
}

async function stateOf({ db, appId }: TestApp, guid: string) {
  const { rows } = await sql<
    ConversationKey & { count: number; members: number; participants: number; both: number }
  >`
    select g.bucket, g.conversation_key as key, c.participants_count as count,
           (select count(*) from group_members m
            where m.app_id = g.app_id and m.guid = g.guid) as members,
           (select count(*) from participants p
            where p.bucket = g.bucket and p.conversation_key = g.conversation_key) as participants,
           (select count(*) from group_members m join group_bans b using (app_id, guid, uid)
            where m.app_id = g.app_id and m.guid = g.guid) as both
    from groups g join conversations c using (bucket, conversation_key)
    where g.app_id = ${appId} and g.guid = ${guid}`.execute(db)
  const [state] = rows
  if (!state) throw new Error(`There is no group ${guid}.`)
  const { bucket, key, ...counts } = state
  const log = await logOf(db, { bucket, key })
  return { ...counts, log, disorder: disorderIn(log, bucket) }
}

async function outcomesOf(app: TestApp, calls: readonly Call[]): Promise<Map<string, number>> {
  const client = app.as('full')
  const outcomes = await Promise.all(
    calls.map(async (call) => {
      try {
        await patiently(call, client)
        return 'ok'
      } catch (error) {
        if (error instanceof ChoraleError) return error.code
        throw error
      }
    }),
  )
  return new Map(
    Object.entries(Object.groupBy(outcomes, (outcome) => outcome)).map(([outcome, list]) => [
      outcome,
      list?.length ?? 0,
    ]),
  )
}

const join =
  (guid: string, onBehalfOf: string): Call =>
  ({ addMembers }) =>
    addMembers({ params: { guid }, onBehalfOf })

/** Where the machine is slow, a call that found no connection in time is made again. */
async function patiently(call: Call, client: Client<Api>): Promise<void> {
  for (;;) {
    try {
      await call(client)
      return
    } catch (error) {
      if (!(error instanceof ChoraleError) || error.code !== 'ERR_MISSION_FAILED') throw error
    }
  }
}

test('500 users who join at once are all counted, each with an entry of their own', async () => {
  await using app = await crowdedApp(501)
  await app.given.group('stadium', { owner: 'u500' })
  const start = performance.now()
  const calls = Array.from({ length: 500 }, (_, n) => join('stadium', `u${n}`))
  expect(await outcomesOf(app, calls)).toEqual(new Map([['ok', 500]]))
  const seconds = (performance.now() - start) / 1000
  console.info(`${Math.round(500 / seconds)} joins/s`)
  const { data } = await app.as('full').getGroup({ params: { guid: 'stadium' } })
  expect(data.membersCount).toBe(501)
  const { log, ...state } = await stateOf(app, 'stadium')
  expect(state).toEqual({ count: 501, members: 501, participants: 501, both: 0, disorder: [] })
  expect(log).toHaveLength(500)
  expect(new Set(log.map(({ sender }) => sender)).size).toBe(500)
  expect(log.every((entry) => entry.data.action === 'joined')).toBe(true)
  const { data: rows } = await app.as('full').getGroupConversation({
    params: { guid: 'stadium' },
    onBehalfOf: 'u500',
  })
  expect(rows).toMatchObject([{ unreadMessageCount: '500' }])
}, 300_000)

test('30 users who join at once a group for 10 fill it, and not more', async () => {
  await using app = await crowdedApp(30, { 'groups.memberLimit': 10 })
  await app.given.group('boat')
  const calls = Array.from({ length: 30 }, (_, n) => join('boat', `u${n}`))
  expect(await outcomesOf(app, calls)).toEqual(
    new Map([
      ['ok', 10],
      ['ERR_NO_VACANCY', 20],
    ]),
  )
  const { log, ...state } = await stateOf(app, 'boat')
  expect(state).toEqual({ count: 10, members: 10, participants: 10, both: 0, disorder: [] })
  expect(log).toHaveLength(10)
})

test('adding members 25 at a time, by callers who name the same ones, adds each once', async () => {
  await using app = await crowdedApp(100)
  await app.given.group('hall')
  const names = Array.from({ length: 100 }, (_, n) => `u${n}`)
  const add = (from: number): Call => {
    // In another order for every caller.
    const participants = [...names, ...names].slice(from, from + 25).toReversed()
    return ({ addMembers }) => addMembers({ params: { guid: 'hall' }, body: { participants } })
  }
  const calls = Array.from({ length: 20 }, (_, n) => add(n * 5))
  expect(await outcomesOf(app, calls)).toEqual(new Map([['ok', 20]]))
  expect(await deadlocksIn(app.db)).toBe(0)
  const { log, ...state } = await stateOf(app, 'hall')
  expect(state).toEqual({ count: 100, members: 100, participants: 100, both: 0, disorder: [] })
  expect(log).toHaveLength(100)
})

test('whatever eight callers do to the same user at once, rows and count agree', async () => {
  await using app = await crowdedApp(3)
  await app.given.group('ring', { owner: 'u0' })
  const uid = 'u1'
  const params = { guid: 'ring', uid }
  const guid = { guid: 'ring' }
  const acts: Call[] = [
    join('ring', uid),
    ({ leaveGroup }) => leaveGroup({ params: guid, onBehalfOf: uid }),
    ({ kickMember }) => kickMember({ params, onBehalfOf: 'u0' }),
    ({ banUser }) => banUser({ params, onBehalfOf: 'u0' }),
    ({ unbanUser }) => unbanUser({ params }),
    ({ changeMemberScope }) => changeMemberScope({ params, body: { scope: 'moderator' } }),
    ({ addMembers }) => addMembers({ params: guid, body: { participants: [uid, 'u2'] } }),
    ({ addMembers }) =>
      addMembers({ params: guid, body: { participants: ['u2'], usersToBan: [uid] } }),
  ]
  const known = [
    'ok',
    'ERR_ALREADY_JOINED',
    'ERR_BANNED_GROUPMEMBER',
    'ERR_GROUP_NOT_JOINED',
    'ERR_NOT_A_MEMBER',
    'ERR_ALREADY_BANNED',
    'ERR_NOT_A_BANNED_USER',
    'ERR_SAME_SCOPE',
  ]
  for (let round = 0; round < 10; round++) {
    // Each caller makes all of these calls, each in an order of its own.
    const calls = acts.flatMap((_, caller) => [...acts.slice(caller), ...acts.slice(0, caller)])
    const outcomes = await outcomesOf(app, round % 2 === 0 ? calls : calls.toReversed())
    expect(known).toEqual(expect.arrayContaining([...outcomes.keys()]))
    const { log: _, ...state } = await stateOf(app, 'ring')
    const { members } = state
    expect(state).toEqual({ count: members, members, participants: members, both: 0, disorder: [] })
  }
  expect(await deadlocksIn(app.db)).toBe(0)
}, 300_000)

test('a user who joins while they are deleted for ever is a member of nothing after', async () => {
  await using app = await crowdedApp(12)
  for (let n = 0; n < 6; n++) await app.given.group(`g${n}`, { owner: 'u11' })
  for (let n = 0; n < 10; n++) {
    const uid = `u${n}`
    await app.as('full').addMembers({ params: { guid: 'g0' }, onBehalfOf: uid })
    const joins = [1, 2, 3, 4, 5].map((group) => join(`g${group}`, uid))
    const remove: Call = ({ deleteUser }) =>
      deleteUser({ params: { uid }, body: { permanent: true } })
    const outcomes = await outcomesOf(app, joins.toSpliced(n % 6, 0, remove))
    expect(['ok', 'ERR_UID_NOT_FOUND']).toEqual(expect.arrayContaining([...outcomes.keys()]))
  }
  expect(await deadlocksIn(app.db)).toBe(0)
  for (let n = 0; n < 6; n++) {
    const { log: _, ...state } = await stateOf(app, `g${n}`)
    expect(state).toEqual({ count: 1, members: 1, participants: 1, both: 0, disorder: [] })
  }
}, 300_000)
