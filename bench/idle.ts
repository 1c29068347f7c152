import { setTimeout as after } from 'node:timers/promises'
import type { Query } from '../packages/testing/src/data/many-users.ts'
import type { Bench } from './harness/context.ts'
import { ownUs } from './harness/cpu.ts'
import { rounded } from './harness/figures.ts'

const apps = 10
/** For what a process does once: plans, statistics, consumers opened, and the compiler of Node. */
const settleSeconds = 15

/** What an install costs that nobody calls: all parts in one process, ten apps. */
export const bench: Bench = {
  name: 'idle',
  summary: 'CPU and transactions of an install that nobody calls',
  async run({ options, say, freshDatabase, serveTogether }) {
    const { seconds = 60 } = options
    const { url, query } = await freshDatabase()
    const names = Array.from({ length: apps }, (_, n) => `app ${n}`)
    const { serving } = await serveTogether(url, names, [])
    say(`${apps} apps; waiting ${settleSeconds} s, then watching for ${seconds} s`)
    await after(settleSeconds * 1000)
    const before = await spent(query, serving.pid)
    const backends = new Map(before.backends)
    // A connection that ends takes what it has spent along.
    for (let second = 0; second < seconds; second++) {
      await after(1000)
      for (const [pid, us] of (await spent(query, serving.pid)).backends) backends.set(pid, us)
    }
    const end = await spent(query, serving.pid)
    const total = (of: ReadonlyMap<number, number>) => of.values().reduce((sum, us) => sum + us, 0)
    const percent = (us: number) => rounded(us / seconds / 10_000, 2)
    const service = end.service - before.service
    const postgres = total(backends) - total(before.backends)
    const figures = {
      percent: percent(service + postgres),
      service: percent(service),
      postgres: percent(postgres),
      // The statements that look are not counted.
      transactions: rounded((end.transactions - before.transactions) / seconds - 1, 1),
    }
    return {
      tables: [{ title: 'Per cent of a core, and transactions a second', rows: [figures] }],
      goals: [
        { what: '% of a core, service and PostgreSQL', value: figures.percent, atMost: 1 },
        { what: 'transactions a second', value: figures.transactions, atMost: 5 },
      ],
      notes: ['PostgreSQL: the connections to this database.'],
      figures,
    }
  },
}

/** Microseconds of the service and of each connection to the database, and transactions so far. */
async function spent(query: Query, pid: number) {
  const rows = (await query(
    `select pid, xact_commit + xact_rollback as transactions from pg_stat_activity
     join pg_stat_database using (datname)
     where datname = current_database() and pid <> pg_backend_pid()`,
  )) as { pid: number; transactions: string }[]
  return {
    service: ownUs(pid),
    backends: new Map(rows.map(({ pid }) => [pid, ownUs(pid)])),
    transactions: Number(rows[0]?.transactions),
  }
}
