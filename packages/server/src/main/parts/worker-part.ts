import { readConsumerLag } from '../../bus/consumer-lag.ts'
import { openDeadLetters } from '../../bus/dead-letters.ts'
import { openListened } from '../../bus/listened.ts'
import { addConsumerLag } from '../../operations/consumer-metrics.ts'
import type { Listener } from '../../outbox/listener.ts'
import { startWorker as startListeners } from '../../worker/worker.ts'
import { startConfiguredJobs } from '../jobs.ts'
import type { Core } from './core.ts'

export interface WorkerOptions {
  readonly listeners: readonly Listener[]
  /** No other part is in the process: without its consumers it has nothing to do. */
  readonly isAlone: boolean
}

/** Runs the listeners and the jobs until it is disposed of. */
export function startWorker(core: Core, { listeners, isAlone }: WorkerOptions): AsyncDisposable {
  const { config, background, stream, metrics, health, bus } = core
  const stack = new AsyncDisposableStack()
  const letters = openDeadLetters(stream)
  addConsumerLag(metrics.registry, async () => {
    const { manager } = await stream.open()
    return readConsumerLag(manager, stream.eventsName)
  })
  const worker = stack.use(
    startListeners({
      database: background,
      session: core.session,
      stream,
      letters,
      listeners,
      onCommit: core.onCommit,
      wakeUp: core.wakeUp,
      clock: core.clock,
      log: core.log,
      tracer: core.tracer,
      addresses: core.files.addresses,
      onOutcome: metrics.listened,
      concurrency: config.LISTENER_CONCURRENCY,
      attempts: config.LISTENER_ATTEMPTS,
      retryMs: config.LISTENER_RETRY_MS,
      hours: config.NATS_STREAM_HOURS,
      keepAuditDays: config.AUDIT_KEEP_DAYS,
    }),
  )
  stack.use(
    startConfiguredJobs({
      config,
      database: background,
      vault: core.vault,
      egress: core.egress,
      onCommit: core.onCommit,
      checkRules: core.checkRules,
      compiler: core.compiler,
      clock: core.clock,
      log: core.log,
      letters,
      listened: openListened(stream),
      wakeUp: core.wakeUp,
      signals: core.signals,
      metrics: metrics.jobs,
      tracer: core.tracer,
      files: core.files,
    }),
  )
  const { scanner } = core.files
  if (scanner) health.want('clamav', () => scanner.ping())
  // Calls work without NATS, consumers do not.
  if (isAlone) health.require('nats', () => bus.ping())
  const add = isAlone ? health.require : health.want
  add('consumers', () => worker.check())
  return stack
}
