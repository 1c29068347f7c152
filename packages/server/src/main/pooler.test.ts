import pg from 'pg'
import { afterAll, expect, inject, test, vi } from 'vitest'
import { startPgBouncer } from '../../../../tools/services/pgbouncer.ts'
import { cloneDatabase } from '../../../testing/src/engines/test-database.ts'
import { send } from '../../../testing/src/network/wire.ts'
import {
  chorale,
  choraleJson,
  type Settings,
  settingsFor,
  startServing,
} from '../../../testing/src/processes/program.ts'

// Processes start.
vi.setConfig({ testTimeout: 180_000 })

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const { url } = stack.use(await cloneDatabase())
const wait = { timeout: 60_000, interval: 100 }

/** So few connections that every client shares them with others. */
const pooler = stack.use(await startPgBouncer(inject('databaseUrl'), { poolSize: 3 }))
const pooled: Settings = {
  ...settingsFor(url),
  DATABASE_URL: pooler.through(url),
  DATABASE_SESSION_URL: url,
  DATABASE_POOLER: 'transaction',
}

/** The backends that hold leases. */
async function holders(): Promise<Map<number, number>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ pid: number; locks: number }>(
      `select pid, count(*)::int as locks from pg_locks
       where locktype = 'advisory' and objsubid = 1 and granted
       and database = (select oid from pg_database where datname = current_database())
       group by pid`,
    )
    return new Map(rows.map(({ pid, locks }) => [pid, locks]))
  } finally {
    await client.end()
  }
}

test('sends and pages go through PgBouncer in transaction mode, and leases past it', async () => {
  const migrated = await chorale(pooled, 'migrate')
  expect(migrated.stdout).toBe('Nothing to do.\n')
  const app = await choraleJson<{ appId: string; apiKeys: { fullAccess: string } }>(
    pooled,
    ...['app', 'create', '--name', 'Test'],
  )
  const first = await startServing(pooled)
  const headers = {
    appId: app.appId,
    apikey: app.apiKeys.fullAccess,
    onBehalfOf: 'ann',
    'content-type': 'application/json',
  }
  const call = async (origin: string, method: string, path: string, body?: object) => {
    const sent = body && JSON.stringify(body)
    const answer = await send(origin, { method, path, headers, body: sent, deadlineMs: 60_000 })
    expect([answer.status, answer.text]).toEqual([200, answer.text])
    return JSON.parse(answer.text).data
  }
  for (const uid of ['ann', 'bob']) {
    const { onBehalfOf: _, ...asApp } = headers
    const body = JSON.stringify({ uid, name: uid })
    const made = await send(first.origin, {
      method: 'POST',
      path: '/v3/users',
      headers: asApp,
      body,
    })
    expect(made.status).toBe(200)
  }
  const say = (origin: string, text: string) => {
    const to = { receiver: 'bob', receiverType: 'user', category: 'message', type: 'text' }
    return call(origin, 'POST', '/v3/messages', { ...to, data: { text } })
  }
  const page = async (origin: string): Promise<{ data: { text: string } }[]> =>
    call(origin, 'GET', '/v3/users/bob/messages?limit=100')
  const texts = Array.from({ length: 30 }, (_, n) => `${n}`)
  await Promise.all(
    texts.map(async (text) => [await say(first.origin, text), await page(first.origin)]),
  )
  expect((await page(first.origin)).map(({ data }) => data.text).toSorted()).toEqual(
    texts.toSorted(),
  )

  await expect.poll(async () => (await holders()).size, wait).toBe(1)
  const [[held = 0, leases] = []] = [...(await holders())]
  await using second = await startServing(pooled)
  first.signal('SIGKILL')
  await first.ended
  await expect.poll(async () => [...(await holders()).values()], wait).toEqual([leases])
  expect([...(await holders()).keys()]).not.toEqual([held])
  await say(second.origin, 'after')
  expect(await page(second.origin)).toHaveLength(texts.length + 1)
})

test('a pooler is noticed where settings do not name it, or do not suffice', async () => {
  await using bare = await startPgBouncer(inject('databaseUrl'), { connectQuery: 'select 1' })
  const refusals = await Promise.all(
    [
      { ...pooled, DATABASE_POOLER: 'none' },
      { ...pooled, DATABASE_SESSION_URL: '' },
      { ...pooled, DATABASE_SESSION_URL: pooler.through(url) },
      { ...pooled, DATABASE_URL: bare.through(url) },
    ].map((settings) => chorale(settings, 'serve', '--port', '0')),
  )
  expect(refusals.map(({ code }) => code)).toEqual([1, 1, 1, 1])
  const [unnamed, withoutSession, sessionPooled, withoutSettings] = refusals.map(
    ({ stderr }) => stderr,
  )
  expect(unnamed).toContain('set DATABASE_POOLER=transaction')
  expect(withoutSession).toContain('needs DATABASE_SESSION_URL')
  expect(sessionPooled).toContain('the address of PostgreSQL itself')
  expect(withoutSettings).toMatch(
    /alter role \S+ in database \S+ set statement_timeout = '10000ms';/,
  )
  expect(withoutSettings).toMatch(/set jit = 'off';/)
})
