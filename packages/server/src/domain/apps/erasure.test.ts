import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { auditOf } from '../../../../testing/src/data/audit.ts'
import { natsPrefix } from '../../../../testing/src/engines/nats-prefix.ts'
import { type AppKeys, startTestApp } from '../../../../testing/src/service/test-app.ts'
import { readConfig } from '../../config.ts'
import type { Database } from '../../database/pool.ts'
import { openConfiguredDatabase } from '../../main/configured-database.ts'
import { openTransactions } from '../../outbox/unit-of-work.ts'
import { erasureQueue } from './erasure.sql.ts'
import { erasureJobs } from './erasure.ts'

const day = 86_400
let now = 1_800_000_000
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const app = stack.use(
  await startTestApp({
    shadow: false,
    clock: () => now,
    live: { settings: { NATS_PREFIX: natsPrefix() } },
  }),
)
const log = pino({ level: 'silent' })
const database = stack.use(
  openConfiguredDatabase(
    readConfig({
      DATABASE_URL: app.databaseUrl,
      NATS_URL: 'nats://127.0.0.1:4222',
      CHORALE_MASTER_KEY: app.masterKey,
    }),
    log,
  ),
)

/** Rows of the app in each table that has any. */
async function rowsOf(appId: string): Promise<Record<string, number>> {
  const tables = await sql<{ name: string }>`
    select relname as name from pg_class
    join pg_attribute on attrelid = pg_class.oid and attname = 'app_id'
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    order by relname`.execute(app.db)
  const found: Record<string, number> = {}
  for (const { name } of tables.rows) {
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from ${sql.id(name)} where app_id = ${appId}`.execute(app.db)
    if (rows[0]?.n) found[name] = rows[0].n
  }
  return found
}

/** Events leave the outbox by themselves. */
async function lastingRowsOf(appId: string): Promise<Record<string, number>> {
  const { outbox: _, ...lasting } = await rowsOf(appId)
  return lasting
}

/** An app with something of most kinds, some of it many times. */
async function seededApp(): Promise<AppKeys> {
  const keys = await app.anotherApp()
  const calls = app.client(keys, 'full')
  for (const uid of ['ann', 'bob', 'cid']) {
    await calls.createUser({ body: { uid, name: uid, withAuthToken: true } })
  }
  await calls.addFriends({ params: { uid: 'ann' }, body: { accepted: ['bob'] } })
  await calls.blockUsers({ params: { uid: 'ann' }, body: { blockedUids: ['cid'] } })
  const members = { participants: ['bob'] }
  const group = { guid: 'team', name: 'Team', type: 'public', owner: 'ann', members } as const
  await calls.createGroup({ body: group })
  const send = (receiver: string, receiverType: 'user' | 'group', text: string) =>
    calls.sendMessage({
      onBehalfOf: 'bob',
      body: { receiver, receiverType, category: 'message', type: 'text', data: { text } },
    })
  for (let nth = 0; nth < 3; nth++) await send('team', 'group', `${nth}`)
  const { data } = await send('ann', 'user', 'hi')
  const id = 'id' in data ? String(data.id) : ''
  await calls.addReaction({ params: { id, reaction: '👍' }, onBehalfOf: 'ann' })
  await calls.editMessage({ params: { id }, onBehalfOf: 'bob', body: { data: { text: 'ho' } } })
  await calls.pinMessage({ params: { id }, onBehalfOf: 'ann' })
  await calls.saveMessage({ params: { id }, onBehalfOf: 'ann' })
  await calls.markUserConversationRead({ params: { uid: 'bob' }, onBehalfOf: 'ann' })
  await calls.createKeywordList({
    form: { id: 'words', name: 'Words', category: 'word', searchTerms: 'a,b' },
  })
  return keys
}

test('every table with data of apps says whose they are', async () => {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables t
    where table_schema = 'public' and table_type = 'BASE TABLE' and not exists (
      select from information_schema.columns c
      where c.table_schema = t.table_schema and c.table_name = t.table_name
        and c.column_name = 'app_id')
    order by table_name`.execute(app.db)
  // A table of apps without app_id would be forgotten when an app is erased.
  expect(rows.map(({ name }) => name)).toEqual([
    'append_receipts',
    'collaborator_sessions',
    'collaborators',
    'gateway_leases',
    'install',
    'management_keys',
    'migrated_functions',
    'migrations',
    'sign_in_attempts',
    'vault_keys',
  ])
})

test('M9: an archived app is erased when its time is up, and its neighbour is left alone', async () => {
  const [doomed, neighbour] = [await seededApp(), await seededApp()]
  app.startWorker([])
  await app.client(doomed, 'full').deleteApp({ params: { appId: doomed.appId } })
  const before = await rowsOf(doomed.appId)
  expect(Object.keys(before)).toEqual(
    expect.arrayContaining(['entries', 'participants', 'reactions', 'pins', 'saves', 'users']),
  )
  const kept = await lastingRowsOf(neighbour.appId)
  now += 30 * day - 1
  expect(await claim(database, erasing(), 10)).toEqual([])
  now += 1
  app.wake(erasureQueue)
  await expect.poll(() => rowsOf(doomed.appId), { timeout: 45_000 }).toEqual({ audit_log: 2 })
  expect(await auditOf(app.db, doomed.appId)).toMatchObject([
    { operation: 'deleteApp', caller: 'management:tests' },
    { operation: 'app erase', caller: 'worker', at: now, target: { rows: expect.any(Number) } },
  ])
  expect(await lastingRowsOf(neighbour.appId)).toEqual(kept)
  const { data } = await app.client(neighbour, 'full').listUsers({ query: {} })
  expect(data).toHaveLength(3)
})

function transactionsOf({ transaction: begin }: Database) {
  return openTransactions({ begin, onCommit: () => undefined, clock: () => now })
}

async function claim({ db }: Database, jobs: ReturnType<typeof erasing>, most: number) {
  await jobs.enqueue?.()
  return jobs.queue.claim(db, { ...jobs.limits, most })
}

function erasing(forgotten: string[] = []) {
  return erasureJobs({
    database,
    log,
    clock: () => now,
    leaseMs: 300,
    rangeMs: 0,
    transactions: transactionsOf(database),
    forgetLetters: async (appId) => void forgotten.push(appId),
  })
}

test('M9: an erasure that was cut off goes on where it was, with whoever is free', async () => {
  // Nobody else erases in this install.
  await using install = await startTestApp({ shadow: false, clock: () => now })
  const calls = install.as('full')
  await install.given.users('ann', 'bob', 'cid')
  const text = { category: 'message', type: 'text', data: { text: 'x' } } as const
  for (const receiver of ['bob', 'cid']) {
    await calls.sendMessage({
      onBehalfOf: 'ann',
      body: { receiver, receiverType: 'user', ...text },
    })
  }
  await calls.deleteApp({ params: { appId: install.appId } })
  now += 30 * day
  await using own = openConfiguredDatabase(
    readConfig({
      DATABASE_URL: install.databaseUrl,
      NATS_URL: 'nats://127.0.0.1:4222',
      CHORALE_MASTER_KEY: install.masterKey,
    }),
    log,
  )
  const forgotten: string[] = []
  const worker = () =>
    erasureJobs({
      database: own,
      log,
      clock: () => now,
      leaseMs: 300,
      rangeMs: 0,
      transactions: transactionsOf(own),
      forgetLetters: async (appId) => void forgotten.push(appId),
    })
  // It dies with the job in hand: until its lease is over nobody else has it.
  expect(await claim(own, worker(), 1)).toMatchObject([{ appId: install.appId, table: '' }])
  expect(await claim(own, worker(), 1)).toEqual([])
  const outcomes: string[] = []
  let reached = ''
  await expect
    .poll(
      async () => {
        for (const job of await claim(own, worker(), 1)) {
          if (reached !== '') expect(job.table).not.toBe('')
          reached = job.table
          outcomes.push(await worker().run(job))
        }
        return outcomes.at(-1)
      },
      { timeout: 110_000, interval: 0 },
    )
    .toBe('erased')
  expect(outcomes.length).toBeGreaterThan(50)
  expect(forgotten).toEqual([install.appId])
  const { rows } = await sql`select from apps where app_id = ${install.appId}`.execute(install.db)
  expect(rows).toEqual([])
}, 120_000)

test('M9: an app that was brought back in time is not erased', async () => {
  const keys = await seededApp()
  const { appId } = keys
  await app.client(keys, 'full').deleteApp({ params: { appId } })
  const before = await lastingRowsOf(appId)
  now += 30 * day
  const job = { appId, table: '', block: 0, rows: 0, leasedUntil: 0, attempt: 1 }
  // There is no call for it: an operator does this by hand.
  await sql`update apps set archived_at = null, delete_at = null where app_id = ${appId}`.execute(
    app.db,
  )
  expect(await erasing().run(job)).toBe('given up')
  const after = await lastingRowsOf(appId)
  delete after.app_erasures
  expect(after).toEqual(before)
})
