import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Database } from '../database/pool.ts'
import { type JobMetrics, openJobMetrics } from '../jobs/metrics.ts'
import { measureBacklog } from '../outbox/backlog.ts'

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
}

export function openMetrics({ foreground, background, clock, isNatsThere }: Measured): Metrics {
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
    help: 'Connections of each pool, and requests that wait for one.',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      for (const [pool, database] of Object.entries({ foreground, background })) {
        for (const [state, value] of Object.entries(database.stats())) {
          this.set({ pool, state }, value)
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
  addBacklog(registry, background, clock)
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

/** Asked of the database when someone looks: it knows of every process. */
function addBacklog(registry: Registry, { db }: Database, clock: () => number): void {
  const waiting = new Gauge({
    name: 'chorale_outbox_waiting',
    help: 'What is committed and not yet known to be published, of the whole install; 10000: at least.',
    labelNames: ['kind'],
    aggregator: 'max',
    registers: [registry],
  })
  new Gauge({
    name: 'chorale_outbox_lag_seconds',
    help: 'Age of the oldest of it.',
    aggregator: 'max',
    registers: [registry],
    async collect() {
      try {
        const { receipts, events, oldestAt } = await measureBacklog(db)
        waiting.set({ kind: 'receipt' }, receipts)
        waiting.set({ kind: 'event' }, events)
        this.set(oldestAt === undefined ? 0 : Math.max(0, clock() - oldestAt))
      } catch {
        // Without a database there is no answer; the rest of the page is still worth reading.
        this.remove()
        waiting.reset()
      }
    },
  })
}
