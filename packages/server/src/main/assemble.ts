import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { type Logger, pino } from 'pino'
import { handlersWith } from '../api.ts'
import { connectBus } from '../bus/bus.ts'
import { type Config, ConfigError } from '../config.ts'
import { pendingMigrations } from '../database/migrator.ts'
import { type Database, openDatabase } from '../database/pool.ts'
import { identifyWith } from '../domain/apps/index.ts'
import { openAppendLane, openPeople } from '../domain/conversations/index.ts'
import { openMetrics } from '../http/metrics.ts'
import { buildServer } from '../http/server.ts'
import { openPipeline } from '../pipeline/pipeline.ts'
import { openRateLimit } from '../pipeline/rate-limit.ts'
import { openVault, type Vault } from '../vault/vault.ts'

export interface Assembly extends AsyncDisposable {
  readonly database: Database
  readonly vault: Vault
  /** Listeners of the api part: the chat API, and the management API where it has its own port. */
  readonly servers: readonly { readonly server: FastifyInstance; readonly port: number }[]
}

export interface AssemblyOptions {
  readonly config: Config
  readonly log: Logger
  readonly strictAnswers?: boolean
  readonly clock?: () => number
}

/** Every part, put together. */
export async function assemble(options: AssemblyOptions): Promise<Assembly> {
  const { config, log } = options
  await using stack = new AsyncDisposableStack()
  const database = stack.use(openConfiguredDatabase(config, log))
  const bus = stack.use(connectBus(config.NATS_URL, log))
  const vault = openVault(config.masterKey)
  const clock = options.clock ?? unixSeconds
  const pipeline = openPipeline({
    database,
    vault,
    identify: identifyWith(database.db, vault),
    rateLimit: openRateLimit(config.API_PROCESSES),
    handlers: handlersWith({
      db: database.db,
      lane: openAppendLane(database.db, clock),
      people: openPeople(database.db),
    }),
    log,
    strictAnswers: options.strictAnswers ?? false,
    clock,
  })
  const pages = {
    version: versionOfPackage(),
    metrics: openMetrics(database),
    checks: {
      database: () => database.ping(),
      migrations: () => requireMigrations(database),
      nats: () => bus.ping(),
    },
  }
  const own = config.MANAGEMENT_PORT !== 0
  const serves = own ? (['chat', 'management'] as const) : (['both'] as const)
  const servers = serves.map((part) => ({
    server: buildServer({ pipeline, pages, log, serves: part }),
    port: part === 'management' ? config.MANAGEMENT_PORT : config.PORT,
  }))
  for (const { server } of servers) stack.defer(() => server.close())
  const owned = stack.move()
  return { database, vault, servers, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** Throws when the database is behind this release. */
export async function requireMigrations({ db }: Database): Promise<void> {
  const pending = await pendingMigrations(db)
  if (pending.length === 0) return
  throw new ConfigError(
    `The database is behind this release (${pending.join(', ')}): run \`chorale migrate\`.`,
  )
}

export function openConfiguredDatabase(config: Config, log: Logger): Database {
  return openDatabase({
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL_SIZE,
    statementTimeoutMs: config.DATABASE_STATEMENT_TIMEOUT_MS,
    onIdleError: (error) => log.warn({ err: error }, 'an idle database connection was lost'),
  })
}

/** Secrets never reach the log, whatever object they come in. */
export function openLog(level: Config['LOG_LEVEL']): Logger {
  const secrets = ['apikey', 'apiKey', 'authToken', 'secret', 'password', 'authorization', 'token']
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: [...secrets, ...secrets.map((name) => `*.${name}`)], censor: '[hidden]' },
  })
}

export function unixSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

function versionOfPackage(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  const { version } = JSON.parse(text) as { version: string }
  return version
}
