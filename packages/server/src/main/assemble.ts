import { readFileSync } from 'node:fs'
import { type Logger, pino } from 'pino'
import { handlersWith } from '../api.ts'
import { connectBus } from '../bus/bus.ts'
import { openDeadLetters } from '../bus/dead-letters.ts'
import { openEventFeed } from '../bus/event-feed.ts'
import { type EventStream, openEventStream, type StreamOptions } from '../bus/event-stream.ts'
import { openMarks } from '../bus/marks.ts'
import { openSignals } from '../bus/signals.ts'
import { type Config, ConfigError, originsOf } from '../config.ts'
import { requireMigrations, requireSchema } from '../database/migrator.ts'
import { type Database, openDatabase } from '../database/pool.ts'
import { identifyWith } from '../domain/apps/index.ts'
import { movementOf, openAppendLane, openPeople } from '../domain/conversations/index.ts'
import { appendAdditions } from '../domain/messages/index.ts'
import {
  nativeEngine,
  openCompiler,
  openJudge,
  openRuleSets,
  portableEngine,
} from '../domain/moderation/index.ts'
import { openGates } from '../domain/webhooks/index.ts'
import { openJobMetrics } from '../jobs/metrics.ts'
import { openWakeUp } from '../jobs/wake-up.ts'
import { type Metrics, openMetrics } from '../metrics/metrics.ts'
import { openClearing } from '../outbox/clearing.ts'
import { allHooks, type CommitHook } from '../outbox/committed.ts'
import { openEpochs, readEpochs } from '../outbox/epochs.ts'
import type { Listener } from '../outbox/listener.ts'
import { openPublisher } from '../outbox/publish.ts'
import { openSweeper } from '../outbox/sweeper.ts'
import { openAddressLimits } from '../pipeline/address-limits.ts'
import { openInFlight } from '../pipeline/in-flight.ts'
import { type CallName, openPipeline } from '../pipeline/pipeline.ts'
import { openAnnouncer } from '../realtime/announce.ts'
import { openPasswords } from '../vault/passwords.ts'
import type { Vault } from '../vault/vault.ts'
import { openWatchdog } from '../watchdog/watchdog.ts'
import { openClientAddress } from '../web/client-address.ts'
import { startWorker } from '../worker/worker.ts'
import { openBudgets } from './budgets.ts'
import { openConfiguredEgress, urlRulesOf } from './egress.ts'
import { openConfiguredGateway } from './gateway.ts'
import { buildGatewayListener, buildListeners, type HttpListener } from './http-listeners.ts'
import { startConfiguredJobs, wakingWith } from './jobs.ts'
import { withoutStorms } from './log-storms.ts'
import { natsAccessOf } from './nats.ts'
import { openConfiguredVault } from './vault.ts'

export interface Assembly extends AsyncDisposable {
  readonly database: Database
  readonly vault: Vault
  /** Calls that are being handled, the oldest first. */
  underWay(): readonly CallName[]
  /** Listeners of the api part: the chat API, and that of the management API or the operator. */
  readonly servers: readonly HttpListener[]
  /** Among them, if there is one. */
  readonly operator: HttpListener | undefined
  /** The worker part: runs these listeners until the assembly is disposed of. */
  startWorker(listeners: readonly Listener[]): void
  /** The gateway part: on the listener of the API, or on one of its own, which is returned. */
  startGateway(on: 'api' | 'own'): HttpListener
}

export interface AssemblyOptions {
  readonly config: Config
  readonly log: Logger
  readonly strictAnswers?: boolean
  readonly clock?: () => number
  /** False: what is committed stays in the outbox, where a test can look at it. */
  readonly publishes?: boolean
}

/** Every part, put together. */
export async function assemble(options: AssemblyOptions): Promise<Assembly> {
  const { config, log, clock = unixSeconds } = options
  await using stack = new AsyncDisposableStack()
  const database = stack.use(openConfiguredDatabase(config, log))
  // First of all: nothing runs beside a database that is not there, or not ready.
  await requireSchema(database.db, { later: config.DATABASE_LATER_SCHEMA })
  const vault = await openConfiguredVault(config, database)
  const bus = stack.use(connectBus(natsAccessOf(config, log), log))
  // Calls and what is done behind them do not take connections from each other.
  const few = config.DATABASE_BACKGROUND_POOL_SIZE
  const background = stack.use(
    openConfiguredDatabase(
      { ...config, DATABASE_POOL_SIZE: few, DATABASE_HOT_POOL_SIZE: few },
      log,
    ),
  )
  const egress = stack.use(openConfiguredEgress(config))
  const metrics = openMetrics({
    database,
    clock,
    outbox: background,
    isNatsThere: () => bus.connection !== undefined,
  })
  const stream = openEventStream(bus, streamOptions(config))
  const publishes = options.publishes ?? true
  // Before anything is written: ids of a restored database must not be those of what was lost.
  const epochs = stack.use(
    publishes
      ? await openEpochs({ db: background.db, marks: openMarks(stream), log })
      : await readEpochs(background.db),
  )
  const publishing = { database: background, stream, metrics, log, clock }
  const signals = openSignals(bus, config.NATS_PREFIX, log)
  const announce = openAnnouncer(signals, movementOf)
  // What is to run right after each commit joins this list.
  const hooks = () => [announce, openPublishing(stack, publishing, announce)]
  const wakeUp = openWakeUp(signals)
  const onCommit = wakingWith(wakeUp, allHooks(publishes ? hooks() : []))
  const identify = identifyWith(database.db, vault, clock)
  const people = openPeople(database.db)
  const asking = {
    timeoutMs: config.WEBHOOK_TIMEOUT_MS,
    concurrency: config.EGRESS_CONCURRENCY,
  }
  const { inspect } = stack.use(
    await openGates({ db: background.db, egress, vault, log, ...asking }),
  )
  const compiler = stack.use(openCompiler((await nativeEngine()) ?? portableEngine))
  const judge = openJudge(openRuleSets(compiler))
  const rateLimit = stack.use(openBudgets(options.publishes === false ? undefined : signals))
  const limits = openAddressLimits({ refusals: config.AUTH_REFUSALS_PER_MINUTE })
  const pipeline = openPipeline({
    limits,
    database,
    vault,
    identify,
    rateLimit,
    inFlight: openInFlight(config.CALLS_PER_USER),
    handlers: handlersWith(
      {
        db: database.db,
        lane: openAppendLane(database.db, clock, onCommit, appendAdditions),
        people,
        inspect,
        judge,
      },
      openEventFeed(stream, epochs, log),
      openPasswords(config.PASSWORD_CONCURRENCY),
      { secretsAre: config.PUSH_SETTINGS_SECRETS, urlRules: urlRulesOf(config), compiler },
    ),
    strictAnswers: options.strictAnswers ?? false,
    clock,
    onCommit,
  })
  const pages = {
    version: versionOfPackage(),
    metrics,
    docs: config.DOCS === 'on',
    checks: {
      database: () => database.ping(),
      migrations: () => requireMigrations(database.db),
    },
    degrading: { nats: () => bus.ping() },
  }
  const clientAddress = configuredClientAddress(config)
  const http = {
    pipeline,
    pages,
    log,
    origins: originsOf(config),
    clientAddress,
    connections: connectionsOf(config),
    hstsSeconds: config.HSTS_SECONDS,
  }
  const { api, management, operator } = buildListeners(config, http)
  const servers = [api, management, operator].filter((one) => one !== undefined)
  for (const { server } of servers) stack.defer(() => server.close())
  // Last: to build all this takes a while, and nobody waits for it yet.
  stack.use(openWatchdog(metrics.registry, log))
  const owned = stack.move()
  const gateway = {
    ...publishing,
    config,
    database,
    background,
    signals,
    vault,
    identify,
    people,
    judge,
    pipeline,
    clientAddress,
    rateLimit,
    limits,
    onCommit,
    epochs,
  }
  return {
    database,
    vault,
    underWay: () => pipeline.underWay(),
    servers,
    operator,
    startWorker(listeners) {
      owned.use(
        startWorker({
          ...publishing,
          ...workerParts(config, stream, metrics),
          onCommit,
          listeners,
        }),
      )
      owned.use(
        startConfiguredJobs({
          ...publishing,
          config,
          vault,
          egress,
          onCommit,
          judge,
          compiler,
          letters: openDeadLetters(stream),
          wakeUp,
          jobMetrics: openJobMetrics(metrics.registry),
        }),
      )
    },
    startGateway(on) {
      const listener = on === 'api' ? api : buildGatewayListener(config, http)
      if (on === 'own') owned.defer(() => listener.server.close())
      owned.use(openConfiguredGateway(listener.server, gateway))
      return listener
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

export function streamOptions(config: Config): StreamOptions {
  return {
    prefix: config.NATS_PREFIX,
    hours: config.NATS_STREAM_HOURS,
    replicas: config.NATS_STREAM_REPLICAS,
  }
}

interface Publishing {
  readonly database: Database
  readonly stream: EventStream
  readonly metrics: Metrics
  readonly log: Logger
  readonly clock: () => number
}

/** From memory right after the commit; by the sweeper whatever that missed, which is announced too. */
function openPublishing(
  stack: AsyncDisposableStack,
  parts: Publishing,
  announce: CommitHook,
): CommitHook {
  const { database, stream, metrics, log } = parts
  const clearing = stack.use(openClearing(database.db, log))
  const publisher = stack.use(openPublisher(stream, clearing, log))
  stack.use(openSweeper({ ...parts, publisher, onSwept: metrics.swept, announce }))
  return publisher.onCommit
}

function workerParts(config: Config, stream: EventStream, metrics: Metrics) {
  return {
    letters: openDeadLetters(stream),
    onOutcome: metrics.listened,
    concurrency: config.LISTENER_CONCURRENCY,
    attempts: config.LISTENER_ATTEMPTS,
    retryMs: config.LISTENER_RETRY_MS,
    hours: config.NATS_STREAM_HOURS,
    keepAuditDays: config.AUDIT_KEEP_DAYS,
  }
}

/** Of a listener: sockets of the gateway, strangers among them, and calls. */
function connectionsOf({ GATEWAY_CONNECTIONS, GATEWAY_PENDING }: Config): number {
  return GATEWAY_CONNECTIONS + GATEWAY_PENDING + 5000
}

function configuredClientAddress({ TRUST_PROXY }: Config) {
  try {
    return openClientAddress(TRUST_PROXY)
  } catch (error) {
    throw new ConfigError(String(error))
  }
}

export function openConfiguredDatabase(config: Config, log: Logger): Database {
  return openDatabase({
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL_SIZE,
    hotPoolSize: config.DATABASE_HOT_POOL_SIZE,
    statementTimeoutMs: config.DATABASE_STATEMENT_TIMEOUT_MS,
    graceMs: config.DATABASE_GRACE_MS,
    onIdleError: (error) => log.warn({ err: error }, 'an idle database connection was lost'),
  })
}

/** Secrets never reach the log, whatever object they come in. */
export function openLog(level: Config['LOG_LEVEL']): Logger {
  const secrets = ['apikey', 'apiKey', 'authToken', 'secret', 'password', 'authorization', 'token']
  return pino(
    {
      level,
      base: null,
      hooks: withoutStorms(),
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: [...secrets, ...secrets.map((name) => `*.${name}`)], censor: '[hidden]' },
    },
    // Some lines at a time, or what there is after a moment: a write for each costs every call.
    pino.destination({ dest: 1, sync: false, minLength: 4096, periodicFlush: 50 }),
  )
}

export function unixSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

function versionOfPackage(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  const { version } = JSON.parse(text) as { version: string }
  return version
}
