import { availableParallelism } from 'node:os'
import type { Logger } from 'pino'
import { AggregatorRegistry, Registry } from 'prom-client'
import type { Config } from '../../config.ts'
import { buildOperationsServer } from '../../http/operations-server.ts'
import type { Readiness } from '../../operations/health.ts'
import { listen } from '../parts/listener.ts'
import { versionOfPackage } from '../version.ts'
import { type Supervisor, startSupervisor } from './supervisor.ts'

export interface ProcessesOptions {
  readonly config: Config
  readonly log: Logger
  readonly processes: number
  /** Of the first of them, and of the others. */
  readonly args: { readonly first: readonly string[]; readonly others: readonly string[] }
}

/** Longer than a process drains and finishes what it accepted. */
const patienceMs = 30_000

/** Runs so many processes until this one is told to stop; the exit code. */
export async function superviseUntilStopped(options: ProcessesOptions): Promise<number> {
  const { config, log, processes, args } = options
  const stopped = new Promise<NodeJS.Signals>((resolve) => {
    process.once('SIGTERM', resolve)
    process.once('SIGINT', resolve)
  })
  await using supervisor = startSupervisor({
    processes: Array.from({ length: processes }, (_, n) => (n === 0 ? args.first : args.others)),
    log,
    patienceMs: config.SHUTDOWN_TIMEOUT_MS + patienceMs,
  })
  process.on('SIGHUP', () => void supervisor.replaceAll())
  await using _operations = await openOperations(config, log, supervisor)
  const failed = supervisor.started.then(
    () => {
      log.info({ processes }, 'all processes have started')
      return stopped
    },
    () => 'failure' as const,
  )
  const reason = await Promise.race([stopped, failed])
  log.info({ reason, processes }, 'stopping all processes')
  return reason === 'failure' ? 1 : 0
}

/** `auto`: as many as there are cores that this process may use. */
export function processCount(wanted: 'auto' | number): number {
  return wanted === 'auto' ? availableParallelism() : wanted
}

/** The same pages as those of one process, for all of them. */
async function openOperations(config: Config, log: Logger, supervisor: Supervisor) {
  const server = buildOperationsServer({
    version: versionOfPackage(),
    metrics: {
      contentType: Registry.PROMETHEUS_CONTENT_TYPE,
      read: () => metricsOf(supervisor),
    },
    health: { read: () => readinessOf(supervisor) },
  })
  const { OPERATIONS_HOST: host, OPERATIONS_PORT: port } = config
  await listen({ name: 'operations', server, host, port }, log)
  return { [Symbol.asyncDispose]: () => server.close() }
}

/** Summed, unless the metric says otherwise. */
async function metricsOf(supervisor: Supervisor): Promise<string> {
  const answers = await Promise.all(supervisor.all().map((one) => one.ask('metrics')))
  const metrics = answers.filter((answer) => answer !== undefined)
  return (
    (await AggregatorRegistry.aggregate(metrics.map((own) => [...own])).metrics()) +
    '\n# HELP chorale_processes Processes of this command that answer.\n' +
    `# TYPE chorale_processes gauge\nchorale_processes ${metrics.length}\n`
  )
}

/** Ready while one of them is; degraded unless all are. */
async function readinessOf(supervisor: Supervisor): Promise<Readiness> {
  const states = await Promise.all(supervisor.all().map((one) => one.ask('readiness')))
  const known = states.filter((state) => state !== undefined)
  const ready = known.filter((state) => state.ready)
  const checks: Record<string, string> = {}
  for (const state of known) {
    for (const [name, text] of Object.entries(state.checks)) {
      if (checks[name] === undefined || checks[name] === 'ok') checks[name] = text
    }
  }
  const isComplete = ready.length >= supervisor.wanted
  return {
    ready: ready.length > 0,
    degraded: !isComplete || known.some((state) => state.degraded),
    checks: {
      ...checks,
      processes: isComplete ? 'ok' : `${ready.length} of ${supervisor.wanted} are ready.`,
    },
  }
}
