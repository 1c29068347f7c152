import { Counter, Gauge, type Registry } from 'prom-client'

export interface JobMetrics {
  ran(queue: string, outcome: string): void
  running(queue: string, count: number): void
  late(queue: string, ms: number): void
}

export function openJobMetrics(registry: Registry): JobMetrics {
  const registers = [registry]
  const ran = new Counter({
    name: 'chorale_jobs_total',
    help: 'Jobs that were run: webhook deliveries, notifications, questions to classifiers and others.',
    labelNames: ['queue', 'outcome'],
    registers,
  })
  const running = new Gauge({
    name: 'chorale_jobs_running',
    help: 'Jobs that this process runs at the moment.',
    labelNames: ['queue'],
    registers,
  })
  const late = new Gauge({
    name: 'chorale_jobs_late_seconds',
    help: 'How long the first job that is due has waited to be claimed.',
    aggregator: 'max',
    labelNames: ['queue'],
    registers,
  })
  return {
    ran: (queue, outcome) => ran.inc({ queue, outcome }),
    running: (queue, count) => running.set({ queue }, count),
    late: (queue, ms) => late.set({ queue }, ms / 1000),
  }
}
