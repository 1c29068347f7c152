import { Gauge, type Registry } from 'prom-client'
import type { Database } from '../database/pool.ts'
import { measureQueues } from '../jobs/backlog.sql.ts'
import { measureBacklog } from '../outbox/backlog.ts'
import { remembered } from './remembered.ts'

export interface Backlogs {
  readonly background: Database
  readonly clock: () => number
  readonly queues: readonly { readonly name: string; readonly backlogText: string }[]
}

/** What waits in the database. It is asked when someone looks, and knows of every process. */
export function addBacklogs(registry: Registry, backlogs: Backlogs): void {
  addOutbox(registry, backlogs)
  addQueues(registry, backlogs)
}

/** Of the whole install, whichever process is asked. */
const whole = { aggregator: 'max' } as const

function addOutbox(registry: Registry, { background, clock }: Backlogs): void {
  const registers = [registry]
  const read = remembered(() => measureBacklog(background.db))
  new Gauge({
    ...whole,
    name: 'chorale_outbox_waiting',
    help: 'What is committed and not yet known to be published, of the whole install; 10000: at least.',
    labelNames: ['kind'],
    registers,
    async collect() {
      const backlog = await read()
      this.reset()
      if (!backlog) return
      this.set({ kind: 'receipt' }, backlog.receipts)
      this.set({ kind: 'event' }, backlog.events)
    },
  })
  new Gauge({
    ...whole,
    name: 'chorale_outbox_lag_seconds',
    help: 'Age of the oldest of it.',
    registers,
    async collect() {
      const backlog = await read()
      if (!backlog) return this.remove()
      const { oldestAt } = backlog
      this.set(oldestAt === undefined ? 0 : Math.max(0, clock() - oldestAt))
    },
  })
}

function addQueues(registry: Registry, { background, queues }: Backlogs): void {
  const registers = [registry]
  const read = remembered(() => measureQueues(background.db, queues))
  new Gauge({
    ...whole,
    name: 'chorale_jobs_waiting',
    help: 'Jobs of the whole install: due, claimed or to be tried later, and deliveries behind the ordering keys of webhooks; 10000: at least.',
    labelNames: ['queue', 'state'],
    registers,
    async collect() {
      const backlogs = await read()
      this.reset()
      for (const { queue, due, later, behind } of backlogs ?? []) {
        this.set({ queue, state: 'due' }, due)
        this.set({ queue, state: 'later' }, later)
        this.set({ queue, state: 'behind' }, behind)
      }
    },
  })
  new Gauge({
    ...whole,
    name: 'chorale_jobs_late_seconds',
    help: 'How long the first job that is due has waited to be claimed. The first pushes of a message are due a minute before it.',
    labelNames: ['queue'],
    registers,
    async collect() {
      const backlogs = await read()
      this.reset()
      for (const { queue, lateMs } of backlogs ?? []) this.set({ queue }, lateMs / 1000)
    },
  })
}
