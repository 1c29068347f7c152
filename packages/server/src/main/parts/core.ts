import type { Logger } from 'pino'
import { type Bus, connectBus } from '../../bus/bus.ts'
import { type EventStream, openEventStream } from '../../bus/event-stream.ts'
import { openMarks } from '../../bus/marks.ts'
import { openSignals, type Signals } from '../../bus/signals.ts'
import type { Config } from '../../config.ts'
import { requireMigrations, requireSchema } from '../../database/migrator.ts'
import type { Database } from '../../database/pool.ts'
import { movementOf } from '../../domain/log/entries/index.ts'
import { type Compiler, openCompiler, openRuleSets } from '../../domain/rules/compiler/index.ts'
import { nativeEngine, portableEngine } from '../../domain/rules/engine/index.ts'
import { openRuleCheck, type RuleCheck } from '../../domain/rules/index.ts'
import type { Egress } from '../../egress/egress.ts'
import { traceEgress } from '../../egress/traced-egress.ts'
import type { Pages } from '../../http/root-page.ts'
import { openWakeUp, type WakeUp } from '../../jobs/wake-up.ts'
import { type ActiveApps, openActiveApps } from '../../limits/active-apps.ts'
import { type Health, openHealth } from '../../operations/health.ts'
import { type Metrics, openMetrics } from '../../operations/metrics.ts'
import { openClearing } from '../../outbox/clearing.ts'
import { allHooks, type CommitHook } from '../../outbox/committed.ts'
import { type Epochs, openEpochs, readEpochs } from '../../outbox/epochs.ts'
import { openPublisher } from '../../outbox/publish.ts'
import { openSweeper } from '../../outbox/sweeper.ts'
import { openAnnouncer } from '../../realtime/announce.ts'
import type { Tracer } from '../../tracing/tracer.ts'
import type { Vault } from '../../vault/vault.ts'
import { unixSeconds } from '../clock.ts'
import {
  openBackgroundDatabase,
  openConfiguredDatabase,
  openSessionDatabase,
  openStandbyGuard,
  requirePoolerSettings,
} from '../configured-database.ts'
import { openConfiguredEgress } from '../configured-egress.ts'
import { type Files, openConfiguredFiles } from '../configured-files.ts'
import { openConfiguredTracer } from '../configured-tracer.ts'
import { openConfiguredVault } from '../configured-vault.ts'
import { consoleFiles } from '../console-files.ts'
import { natsAccessOf, streamOptions } from '../nats.ts'
import { queues } from '../queues.ts'
import { versionOfPackage } from '../version.ts'

export interface CoreOptions {
  readonly config: Config
  readonly log: Logger
  readonly clock?: () => number
  /** False: what is committed stays in the outbox, where a test can look at it. */
  readonly publishes?: boolean
  /** Of one `chorale serve`, this one included; one, unless said. */
  readonly processes?: number | undefined
  /** Aborted: this process is about to stop, and clients are told to connect anew. */
  readonly leaving?: AbortSignal
  /** Pages beside those of the documentation. */
  readonly pages?: Pages | undefined
  /** Where the files of the console are; where they are usually, unless said. */
  readonly consoleFiles?: string | undefined
}

/** What every part of the service needs. A process has one, whatever parts it runs. */
export interface Core extends AsyncDisposable {
  readonly config: Config
  readonly log: Logger
  readonly version: string
  readonly clock: () => number
  readonly publishes: boolean
  /** Of one `chorale serve`, this one included. */
  readonly processes: number
  readonly leaving: AbortSignal | undefined
  readonly pages: Pages | undefined
  /** Undefined: the console answers calls, and has no pages. */
  readonly consoleFiles: string | undefined
  /** The pool of the calls. A process without calls opens no connection of it. */
  readonly foreground: Database
  /** Seen by calls; whether an app has neighbours decides how much it may use. */
  readonly activeApps: ActiveApps
  /** The pool of everything that no call waits for. */
  readonly background: Database
  /** Connections that stay the same from statement to statement; the background's without a pooler. */
  readonly session: Database
  readonly vault: Vault
  readonly bus: Bus
  readonly stream: EventStream
  readonly signals: Signals
  readonly epochs: Epochs
  /** Called after each commit of this process: announces and publishes. */
  readonly onCommit: CommitHook
  /** Wakes the runners of jobs, those of other processes too. */
  readonly wakeUp: WakeUp
  readonly egress: Egress
  /** Where the files of messages are. */
  readonly files: Files
  readonly compiler: Compiler
  readonly checkRules: RuleCheck
  readonly metrics: Metrics
  /** Undefined: nothing is traced. */
  readonly tracer: Tracer | undefined
  readonly health: Health
}

export async function openCore(options: CoreOptions): Promise<Core> {
  const { config, log, clock = unixSeconds, publishes = true } = options
  await using stack = new AsyncDisposableStack()
  const activeApps = openActiveApps()
  const { foreground, background, session } = await openDatabases(stack, config, log, activeApps)
  const vault = await openConfiguredVault(config, background)
  const bus = stack.use(connectBus(natsAccessOf(config, log), log))
  const tracer = stack.use(await openConfiguredTracer(config, log))
  const egress = openTracedEgress(stack, config, tracer)
  const isNatsThere = () => bus.connection !== undefined
  const metrics = openMetrics({ foreground, background, clock, isNatsThere, queues })
  const stream = openEventStream(bus, streamOptions(config))
  // Before anything is written: ids of a restored database must not be those of what was lost.
  const epochs = stack.use(
    publishes
      ? await openEpochs({ database: background, marks: openMarks(stream), log })
      : await readEpochs(background.db),
  )
  const signals = openSignals(bus, config.NATS_PREFIX, log)
  const announce = openAnnouncer(signals, movementOf)
  const publishing = { database: background, stream, metrics, log, clock, announce, tracer }
  const hooks = publishes ? [announce, stack.use(openPublishing(publishing)).onCommit] : []
  const wakeUp = stack.use(openWakeUp(signals))
  const files = stack.use(await openConfiguredFiles({ config, vault, clock, egress }))
  const compiler = stack.use(openCompiler((await nativeEngine()) ?? portableEngine))
  const health = openCoreHealth(log, background, bus)
  const owned = stack.move()
  return {
    config,
    log,
    version: versionOfPackage(),
    clock,
    publishes,
    processes: options.processes ?? 1,
    leaving: options.leaving,
    pages: options.pages,
    consoleFiles: options.consoleFiles ?? consoleFiles(),
    foreground,
    activeApps,
    background,
    session,
    vault,
    bus,
    stream,
    signals,
    epochs,
    onCommit: allHooks(hooks, wakeUp.wake),
    wakeUp,
    egress,
    files,
    compiler,
    checkRules: openRuleCheck(openRuleSets(compiler)),
    metrics,
    tracer,
    health,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

async function openDatabases(
  stack: AsyncDisposableStack,
  config: Config,
  log: Logger,
  activeApps: ActiveApps,
): Promise<Pick<Core, 'foreground' | 'background' | 'session'>> {
  const standby = stack.use(openStandbyGuard(config, log))
  const background = stack.use(openBackgroundDatabase(config, log, standby))
  // First of all: nothing runs beside a database that is not there, or not ready.
  await requireSchema(background.db, { later: config.DATABASE_LATER_SCHEMA })
  const isPooled = config.DATABASE_POOLER === 'transaction'
  if (isPooled) await requirePoolerSettings(config, background)
  const session = isPooled ? stack.use(await openSessionDatabase(config, log)) : background
  const foreground = stack.use(openConfiguredDatabase(config, log, { activeApps, standby }))
  return { foreground, background, session }
}

function openTracedEgress(
  stack: AsyncDisposableStack,
  config: Config,
  tracer: Tracer | undefined,
): Egress {
  const egress = stack.use(openConfiguredEgress(config))
  return tracer ? traceEgress(egress, tracer) : egress
}

function openCoreHealth(log: Logger, database: Database, bus: Bus): Health {
  const health = openHealth(log)
  health.require('database', () => database.ping())
  health.require('migrations', () => requireMigrations(database.db))
  health.want('nats', () => bus.ping())
  return health
}

interface Publishing {
  readonly database: Database
  readonly stream: EventStream
  readonly metrics: Metrics
  readonly log: Logger
  readonly clock: () => number
  readonly announce: CommitHook
  readonly tracer: Tracer | undefined
}

/** From memory right after the commit; by the sweeper whatever that missed, which is announced too. */
function openPublishing(publishing: Publishing) {
  const { database, stream, metrics, log, clock, announce, tracer } = publishing
  const stack = new AsyncDisposableStack()
  const clearing = stack.use(openClearing(database.db, log))
  const publisher = stack.use(openPublisher(stream, clearing, log, tracer))
  const onSwept = metrics.swept
  stack.use(openSweeper({ database, stream, publisher, log, clock, onSwept, announce }))
  return { onCommit: publisher.onCommit, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
