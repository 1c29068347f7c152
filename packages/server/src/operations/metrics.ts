import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Database } from '../database/pool.ts'
import { type JobMetrics, openJobMetrics } from '../jobs/metrics.ts'
import { addBacklogs } from './backlogs.ts'

export interface Metrics {
  readonly registry: Registry
  /** Without the app: what one tenant does is not for everyone who may read metrics. */
  observe(operation: string, status: number, seconds: number): void
  /** A sweeper published what another way had not. */
  swept(count: number): void
  listened(listener: string, outcome: 'handled' | 'dead'): void
  readonly jobs: JobMetrics
}

export interface Measured {
  /** The pool of the calls. */
  readonly foreground: Database
  /** Also asked how much waits in the outbox: not on a connection that calls may need. */
  readonly background: Database
  readonly clock: () => number
  readonly isNatsThere: () => boolean
  /** Queues of jobs: in every process, also while no worker runs. */
  readonly queues: readonly { readonly name: string; readonly backlogText: string }[]
}

export function openMetrics(measured: Measured): Metrics {
  const { foreground, background, isNatsThere } = measured
  const registry = new Registry()
  addProcess(registry)
  const duration = new Histogram({
    name: 'chorale_request_duration_seconds',
    help: 'Time from request to answer.',
    labelNames: ['operation'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  const requests = new Counter({
    name: 'chorale_requests_total',
    help: 'Requests answered.',
    labelNames: ['operation', 'status'],
    registers: [registry],
  })
  new Gauge({
    name: 'chorale_database_connections',
    help: 'Connections of each pool: how many there may be (max), are open (total) and idle, and statements that wait for one.',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      for (const [pool, database] of Object.entries({ foreground, background })) {
        const { ordinary, prepared } = database.stats()
        for (const [state, value] of Object.entries(ordinary)) this.set({ pool, state }, value)
        for (const [state, value] of Object.entries(prepared)) {
          this.set({ pool: `${pool} prepared`, state }, value)
        }
      }
    },
  })
  new Gauge({
    name: 'chorale_nats_connected',
    help: '1, or 0 while NATS is away: calls work, and what follows them is late.',
    aggregator: 'min',
    registers: [registry],
    collect() {
      this.set(isNatsThere() ? 1 : 0)
    },
  })
  addBacklogs(registry, measured)
  const swept = new Counter({
    name: 'chorale_outbox_swept_total',
    help: 'Receipts and events that the sweeper published.',
    registers: [registry],
  })
  const listened = new Counter({
    name: 'chorale_listener_events_total',
    help: 'Events that listeners have handled, or given up as dead letters.',
    labelNames: ['listener', 'outcome'],
    registers: [registry],
  })
  return {
    registry,
    swept: (count) => swept.inc(count),
    listened: (listener, outcome) => listened.inc({ listener, outcome }),
    jobs: openJobMetrics(registry),
    observe(operation, status, seconds) {
      duration.observe({ operation }, seconds)
      requests.inc({ operation, status })
    },
  }
}

/** Of its series on the lag of the event loop only the current one: the others cost a hundred timers a second. */
function addProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 60_000 })
  for (const kind of ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99']) {
    registry.removeSingleMetric(`nodejs_eventloop_lag_${kind}_seconds`)
  }
}
