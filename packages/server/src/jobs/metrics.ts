import { Counter, Gauge, type Registry } from 'prom-client'

export interface JobMetrics {
  ran(queue: string, outcome: string): void
  running(queue: string, count: number): void
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
  return {
    ran: (queue, outcome) => ran.inc({ queue, outcome }),
    running: (queue, count) => running.set({ queue }, count),
  }
}
