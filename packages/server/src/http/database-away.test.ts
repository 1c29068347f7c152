import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, expect, inject, test, vi } from 'vitest'
import { cloneDatabase } from '../../../testing/src/engines/test-database.ts'
import { startTcpProxy } from '../../../testing/src/network/tcp-proxy.ts'
import { send, type WireAnswer } from '../../../testing/src/network/wire.ts'
import { settingsFor, startServing } from '../../../testing/src/processes/program.ts'
import { startFreezing } from '../../../testing/src/service/freezing.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'

// Processes start, and the database is away for a while.
vi.setConfig({ testTimeout: 120_000 })

const wait = { timeout: 60_000, interval: 50 }
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

const refused = ({ status, headers }: WireAnswer) => [status, headers['retry-after']]

test('reliability 6: a database that only reads is a 503 with Retry-After, and its connection is dropped', async () => {
  const app = stack.use(await startTestApp({ shadow: false }))
  const name = new URL(app.databaseUrl).pathname.slice(1)
  const headers = { appId: app.appId, apikey: app.keys.full, 'content-type': 'application/json' }
  const create = (uid: string) =>
    send(app.origin, {
      method: 'POST',
      path: '/v3/users',
      headers,
      body: JSON.stringify({ uid, name: uid }),
    })
  const admin = new pg.Client({ connectionString: inject('databaseUrl') })
  await admin.connect()
  stack.defer(() => admin.end())
  // As when a balancer still leads to what is a standby now: reads work, and writes are refused.
  await admin.query(`alter database ${name} set default_transaction_read_only = on`)
  await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = $1`, [
    name,
  ])
  const lists = () => send(app.origin, { path: '/v3/users', headers })
  await expect.poll(async () => (await lists()).status, wait).toBe(200)
  const answer = await create('ann')
  expect(refused(answer)).toEqual([503, '1'])
  await expect(sql`create table t ()`.execute(app.db)).rejects.toMatchObject({ code: '25006' })
  await admin.query(`alter database ${name} reset default_transaction_read_only`)
  // A connection that was kept would still refuse.
  await expect.poll(async () => (await create('ann')).status, wait).toBe(200)
})

test('reliability 4: a frozen database is a 503 within the deadline; nothing is lost or doubled, and no event given up', async () => {
  await using fixture = await startFreezing({
    DATABASE_STATEMENT_TIMEOUT_MS: '1000',
    DATABASE_GRACE_MS: '500',
  })
  fixture.freeze()
  // Some come at once, some while others wait: none may wait for the database to come back.
  const calls: Promise<WireAnswer>[] = []
  while (calls.length < 50) {
    calls.push(fixture.say(), fixture.say(), fixture.say(), fixture.say(), fixture.look())
    if (calls.length % 10 === 0) await calls[calls.length - 10]
  }
  for (const call of calls) expect(refused(await call)).toEqual([503, '1'])
  expect((await send(fixture.origin, { path: '/docs/start.js' })).status).toBe(200)
  fixture.thaw()
  expect(await fixture.sayAgain()).toBe(41)
})

test('reliability 7: while the database is away, a cause is one line a second, with a count', async () => {
  const { url } = stack.use(await cloneDatabase())
  await using proxy = await startTcpProxy(url)
  const settings = settingsFor(url)
  await using serving = await startServing({ ...settings, DATABASE_URL: proxy.url })
  await proxy.close()
  const headers = { appId: 'x', apikey: 'y' }
  const startedAt = performance.now()
  const seconds = () => (performance.now() - startedAt) / 1000
  let calls = 0
  while (seconds() < 4 || calls < 200) {
    await Promise.all(
      Array.from({ length: 20 }, () => send(serving.origin, { path: '/v3/users', headers })),
    )
    calls += 20
  }
  await serving.said('"repeated"')
  const lines = serving
    .output()
    .split('\n')
    .filter((line) => line.includes('"err"'))
    .map((line): { msg: string; repeated?: number } => JSON.parse(line))
  const byMessage = Map.groupBy(lines, ({ msg }) => msg)
  // Two ways in which a connection fails, one line a second each, and one at once.
  for (const [, same] of byMessage) expect(same.length).toBeLessThanOrEqual(2 * (seconds() + 2))
  const answered = byMessage.get('the database did not answer a call') ?? []
  const counted = answered.reduce((sum, { repeated = 1 }) => sum + repeated, 0)
  expect(answered.length).toBeGreaterThan(0)
  expect(counted).toBeGreaterThan(5 * answered.length)
})
