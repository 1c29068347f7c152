import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Database } from '../database/pool.ts'

export interface Metrics {
  readonly registry: Registry
  /** Without the app: what one tenant does is not for everyone who may read metrics. */
  observe(operation: string, status: number, seconds: number): void
}

export function openMetrics(database: Database): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
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
    help: 'Connections of the pool, and requests that wait for one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, value] of Object.entries(database.stats())) this.set({ state }, value)
    },
  })
  return {
    registry,
    observe(operation, status, seconds) {
      duration.observe({ operation }, seconds)
      requests.inc({ operation, status })
    },
  }
}
