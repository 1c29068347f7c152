import { randomBytes } from 'node:crypto'
import { Writable } from 'node:stream'
import { sql } from 'kysely'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, describe, expect, test } from 'vitest'
import { cloneDatabase } from '../../../testing/src/engines/test-database.ts'
import { startTcpProxy } from '../../../testing/src/network/tcp-proxy.ts'
import { errorOf, send, type WireRequest } from '../../../testing/src/network/wire.ts'
import { startBareService } from '../../../testing/src/service/bare-service.ts'
import { appSeeds, handlersWith } from '../api.ts'
import type { Db } from '../database/db.ts'
import { openDatabase } from '../database/pool.ts'
import { createApp, openIdentities } from '../domain/apps/index.ts'
import { openFileChecks, openFileStores } from '../domain/files/index.ts'
import { openAppendBatcher } from '../domain/log/index.ts'
import { openDirectory, openTargets } from '../domain/messages/send/index.ts'
import { roleHandlers } from '../domain/roles/index.ts'
import { openCompiler, openRuleSets } from '../domain/rules/compiler/index.ts'
import { portableEngine } from '../domain/rules/engine/index.ts'
import { openRuleCheck } from '../domain/rules/index.ts'
import { openProfileLoader } from '../domain/views/index.ts'
import { buildServer } from '../http/server.ts'
import { openActiveApps } from '../limits/active-apps.ts'
import { openSharedCounts } from '../limits/shared-counts.ts'
import type { Committed } from '../outbox/committed.ts'
import { openPasswords } from '../vault/passwords.ts'
import { openVault } from '../vault/vault.ts'
import { openClientAddress } from '../web/client-address.ts'
import { openAddressLimits } from './address-limits.ts'
import type { AllHandlers } from './handler.ts'
import { openInFlight } from './in-flight.ts'
import { openPipeline } from './pipeline.ts'
import { openRateLimit } from './rate-limit.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const wait = { timeout: 10_000 }
const { url } = stack.use(await cloneDatabase())

function recordingLog() {
  const lines: string[] = []
  const stream = new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk))
      done()
    },
  })
  return { lines, log: pino({ level: 'warn' }, stream) }
}

describe('with a handler that does what it should not', () => {
  /** The route with one handler replaced; what it wrote to the log beside it. */
  async function start(replaced: Partial<AllHandlers['app']>, strictAnswers: boolean) {
    const options = { url, poolSize: 2, statementTimeoutMs: 5000, onIdleError: () => undefined }
    const database = stack.use(openDatabase(options))
    const vault = openVault(randomBytes(32))
    const { row, keys } = await database.transaction((db) =>
      createApp({ db }, vault, appSeeds, { name: 'Test', region: 'us' }, 1_700_000_000),
    )
    const { lines, log } = recordingLog()
    const told: Committed[] = []
    const batcher = openAppendBatcher(database.db, () => 1_700_000_000)
    const compiler = openCompiler(portableEngine)
    const sessions = { idleSeconds: 60, absoluteSeconds: 60, secondFactor: 'optional' } as const
    const checkRules = openRuleCheck(openRuleSets(compiler))
    const sending = {
      db: database.db,
      ...openDirectory(openTargets(database.db), openProfileLoader(database.db)),
      batcher,
      checkRules,
    }
    const handlers = handlersWith(sending, { read: async () => 'away' }, openPasswords(1), {
      secretsAre: 'shown',
      urlRules: { allow: '', http: false },
      compiler,
      sessions,
      operating: {
        status: () => Promise.reject(new Error('Nobody asks for it here.')),
        letters: { list: async () => [], replay: async () => false },
      },
      pushTesting: {
        lines: () => {
          throw new Error('Nobody sends a push here.')
        },
        timeoutMs: 1000,
      },
      files: {
        stores: openFileStores({ install: undefined, vault, open: () => Promise.reject() }),
        limits: { maxBytes: 1, appBytes: 0, userBytes: 0, unusedSeconds: 1 },
        checks: openFileChecks([]),
      },
    })
    const pipeline = openPipeline({
      database,
      vault,
      ...openIdentities(
        database.db,
        vault,
        () => 1_700_000_000,
        async () => undefined,
        sessions,
      ),
      recalling: new Set(),
      limits: openAddressLimits({ refusals: 0 }),
      inFlight: openInFlight(4, openActiveApps()),
      rateLimit: openRateLimit(openSharedCounts({ windowMs: 60_000 })),
      handlers: { ...handlers, app: { ...handlers.app, ...replaced } },
      strictAnswers,
      clock: () => 1_700_000_000,
      onCommit: (committed) => void told.push(committed),
    })
    const clientAddress = openClientAddress('')
    const server = buildServer({
      pipeline,
      observe: () => undefined,
      docs: undefined,
      log,
      serves: 'both',
      hstsSeconds: 0,
      origins: [],
      clientAddress,
      connections: 100,
      forms: { during: () => Promise.reject(new Error('No test brings files.')) },
    })
    stack.defer(() => server.close())
    const origin = await server.listen({ host: '127.0.0.1', port: 0 })
    const headers = { appId: row.appId, apikey: keys.fullAccess.apiKey }
    const call = (request: WireRequest) => send(origin, { ...request, headers })
    return { call, lines, told, db: database.db }
  }

  // A handler as it must never be: the compiler would refuse it.
  const brokenAnswer = { getRole: async () => ({ data: { role: 7 } }) } as unknown as Partial<
    AllHandlers['app']
  >

  test('an answer that breaks the contract is an error where answers are strict', async () => {
    const { call, lines } = await start(brokenAnswer, true)
    const answer = await call({ path: '/v3/roles/default' })
    expect([answer.status, errorOf(answer).code]).toEqual([500, 'ERR_EXCEPTION'])
    expect(lines.join()).toContain('getRole broke its contract')
    expect((await call({ path: '/v3/roles' })).status).toBe(200)
  })

  test('C2: elsewhere no answer is checked: to compile the check would block the event loop', async () => {
    const { call, lines } = await start(brokenAnswer, false)
    const answer = await call({ path: '/v3/roles/default' })
    expect([answer.status, JSON.parse(answer.text)]).toEqual([200, { data: { role: 7 } }])
    expect(lines).toEqual([])
  })

  test('an exception is answered without its text, logged with it, and undoes the change', async () => {
    const secret = 'the password is swordfish'
    const { call, lines, db } = await start(
      {
        async createRole({ body }, ctx) {
          await roleHandlers.createRole({ body }, ctx)
          throw new Error(secret)
        },
      },
      true,
    )
    const body = '{"role":"half","name":"Half"}'
    const answer = await call({ method: 'POST', path: '/v3/roles', body })
    expect([answer.status, errorOf(answer).code]).toEqual([500, 'ERR_EXCEPTION'])
    expect(answer.text).not.toContain('swordfish')
    expect(answer.text).not.toContain('pipeline.test')
    const requestId = String(answer.headers['x-request-id'])
    expect(errorOf(answer).devMessage).toContain(requestId)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(secret)
    expect(lines[0]).toContain(requestId)
    expect(errorOf(await call({ path: '/v3/roles/half' })).code).toBe('ERR_ROLE_NOT_FOUND')
    const { rows } = await sql`select from outbox where name = 'role.created'`.execute(db)
    expect(rows).toHaveLength(0)
  })

  test('an event of a change that was undone is told nobody', async () => {
    let breaks = true
    const { call, told } = await start(
      {
        async createRole({ body }, ctx) {
          const answer = await roleHandlers.createRole({ body }, ctx)
          // The contract is broken: the change is undone after the handler has returned.
          return breaks ? ({ data: { role: 7 } } as unknown as typeof answer) : answer
        },
      },
      true,
    )
    const create = () =>
      call({ method: 'POST', path: '/v3/roles', body: '{"role":"half","name":"Half"}' })
    expect((await create()).status).toBe(500)
    expect(told.flatMap(({ events }) => events)).toEqual([])
    breaks = false
    expect((await create()).status).toBe(200)
    expect(told.flatMap(({ events }) => events)).toHaveLength(1)
  })

  test('what is thrown need not be an error', async () => {
    const { call } = await start({ getRole: () => Promise.reject('a plain string') }, true)
    const answer = await call({ path: '/v3/roles/default' })
    expect([answer.status, errorOf(answer).code]).toEqual([500, 'ERR_EXCEPTION'])
    expect(answer.text).not.toContain('a plain string')
  })
})

describe('when the database goes away', () => {
  async function start() {
    // Each service has a master key of its own, which a database takes once.
    const { url } = stack.use(await cloneDatabase())
    const proxy = stack.use(await startTcpProxy(url))
    const { lines, log } = recordingLog()
    const service = stack.use(await startBareService({ databaseUrl: proxy.url, log }))
    const keys = await service.createApp()
    const headers = { appId: keys.appId, apikey: keys.full }
    const call = (request: WireRequest) => send(service.origin, { ...request, headers })
    const create = (uid: string) =>
      call({ method: 'POST', path: '/v3/users', body: JSON.stringify({ uid, name: uid }) })
    return { url, proxy, call, create, service, lines }
  }

  test('every call is answered 503 with the time to try again, and works after its return', async () => {
    const { proxy, call, create, lines } = await start()
    expect((await create('before')).status).toBe(200)
    await proxy.close()
    for (const answer of [await call({ path: '/v3/users' }), await create('during')]) {
      expect([answer.status, errorOf(answer).code]).toEqual([503, 'ERR_MISSION_FAILED'])
      expect(answer.headers['retry-after']).toBe('1')
      expect(answer.text).not.toMatch(/ECONN|127\.0\.0\.1/)
    }
    expect(lines.join()).toContain('the database did not answer a call')
    await proxy.open()
    expect((await create('after')).status).toBe(200)
    expect((await call({ path: '/v3/users/before' })).status).toBe(200)
    expect(errorOf(await call({ path: '/v3/users/during' })).code).toBe('ERR_UID_NOT_FOUND')
  })

  test('a call whose statement runs at that moment is answered 503, and nothing is half done', async () => {
    const { url, proxy, call, create, service } = await start()
    // Past the proxy: holds what creating a user waits for.
    const direct = new pg.Client({ connectionString: url })
    await direct.connect()
    await direct.query('begin')
    await direct.query('select from roles for update')
    const calls = [create('one'), create('two')]
    await expect.poll(() => waitingIn(service.core.foreground.db), wait).toBe(2)
    await proxy.close()
    for (const answer of await Promise.all(calls)) {
      expect([answer.status, errorOf(answer).code]).toEqual([503, 'ERR_MISSION_FAILED'])
    }
    await direct.query('commit')
    await direct.end()
    await proxy.open()
    for (const uid of ['one', 'two']) {
      expect(errorOf(await call({ path: `/v3/users/${uid}` })).code).toBe('ERR_UID_NOT_FOUND')
      expect((await create(uid)).status).toBe(200)
    }
  })

  test('a connection that PostgreSQL ends is replaced', async () => {
    const { call, create, service } = await start()
    expect((await create('ada')).status).toBe(200)
    const { db } = service.core.foreground
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(db)
    await expect.poll(async () => (await call({ path: '/v3/users/ada' })).status, wait).toBe(200)
  })
})

async function waitingIn(db: Db): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
  return rows[0]?.n ?? 0
}
