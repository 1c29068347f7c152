import type { Logger } from 'pino'
import type { AppDb, InstallDb } from '../../database/app-db.ts'
import { eraseAuditLog, writeAuditLog } from '../../database/audit-log.ts'
import type { Jobs } from '../../jobs/runner.ts'
import type { Transactions } from '../../outbox/unit-of-work.ts'
import {
  type AppTable,
  type ErasureJob,
  enqueueErasures,
  eraseApp,
  eraseInBlocks,
  eraseSome,
  erasureQueue,
  forgetErasure,
  isTimeUp,
  recordErasure,
  tablesOfApps,
} from './erasure.sql.ts'

interface ErasureParts {
  readonly database: InstallDb
  readonly transactions: Transactions
  readonly clock: () => number
  readonly log: Logger
  /** What NATS keeps of an app for longer than an archived app has. */
  readonly forgetLetters: (appId: string) => Promise<void>
  /** Removes files of the app for about so long. True: there are more. */
  readonly removeFiles?: (inApp: AppDb, forMs: number) => Promise<boolean>
  readonly leaseMs?: number
  readonly rangeMs?: number
}

const maxRows = 1000
const maxBlocks = 64
/** With the app itself, when all else is gone. */
const last = new Set(['apps', 'app_erasures', 'audit_log'])

/**
 * Erases archived apps whose time is up: a range at a time, in statements that lock little. It is
 * the one place that writes to the tables of every module.
 */
export function erasureJobs(parts: ErasureParts): Jobs<ErasureJob> {
  const { database, clock, log, leaseMs = 30_000, rangeMs = 2000 } = parts
  const { db } = database

  async function finish(inApp: AppDb, rows: number): Promise<void> {
    const { appId } = inApp
    await parts.forgetLetters(appId)
    await parts.transactions.inApp(appId, async ({ db, now }) => {
      if (!(await isTimeUp(db, now))) return
      await eraseAuditLog(db)
      const entry = { at: now, caller: 'worker', operation: 'app erase', requestId: '' }
      await writeAuditLog(db.db, { ...entry, appId, input: { rows } })
      await eraseApp(db)
    })
    log.info({ appId, rows }, 'an archived app was erased')
  }

  return {
    queue: erasureQueue,
    limits: { leaseMs },
    enqueue: () => enqueueErasures(db, clock()),
    async run(job) {
      const inApp = { appId: job.appId, db }
      if (!(await isTimeUp(inApp, clock()))) {
        await forgetErasure(inApp)
        return 'given up'
      }
      // First: their rows say in which stores they are.
      if (job.table === '' && (await parts.removeFiles?.(inApp, rangeMs))) {
        await recordErasure(db, job, job)
        return 'files'
      }
      const tables = childrenFirst(await tablesOfApps(db))
      const reached = await walk(inApp, tables, job, rangeMs)
      if (reached.isOver) {
        await finish(inApp, reached.rows)
        return 'erased'
      }
      await recordErasure(db, job, reached)
      const { appId } = job
      const { table, rows } = reached
      log.info({ appId, table, rows }, 'an archived app is being erased')
      return 'range'
    },
  }
}

interface Reached extends Pick<ErasureJob, 'table' | 'block' | 'rows'> {
  readonly isOver: boolean
}

/** On from where the last range ended. */
async function walk(
  inApp: AppDb,
  tables: readonly AppTable[],
  job: ErasureJob,
  rangeMs: number,
): Promise<Reached> {
  const endsAt = performance.now() + rangeMs
  const known = tables.findIndex(({ name }) => name === job.table)
  let { block, rows } = known < 0 ? { ...job, block: 0 } : job
  let place = Math.max(known, 0)
  do {
    const table = tables[place]
    if (!table) break
    const step = await erase(inApp, table, block)
    rows += step.rows
    if (step.isDone) place++
    block = step.isDone ? 0 : step.next
  } while (performance.now() < endsAt)
  const table = tables[place]
  return { table: table?.name ?? '', block, rows, isOver: !table }
}

async function erase(inApp: AppDb, { name, indexed }: AppTable, block: number) {
  if (indexed) {
    const rows = await eraseSome(inApp, name, maxRows)
    return { rows, next: 0, isDone: rows < maxRows }
  }
  const next = block + maxBlocks
  const { rows, isLast } = await eraseInBlocks(inApp, name, block, next)
  return { rows, next, isDone: isLast }
}

/** No row goes before those that refer to it, or one statement would take them all along. */
function childrenFirst(tables: readonly AppTable[]): AppTable[] {
  const ordered: AppTable[] = []
  let left = tables.filter(({ name }) => !last.has(name))
  while (left.length > 0) {
    const parents = new Set(
      left.flatMap(({ name, parents }) => parents.filter((parent) => parent !== name)),
    )
    const free = left.filter(({ name }) => !parents.has(name))
    if (free.length === 0) throw new Error('Tables refer to each other in a relationship.')
    ordered.push(...free)
    left = left.filter(({ name }) => parents.has(name))
  }
  return ordered
}
