import type { Logger } from 'pino'
import type { AppDb, InstallDb } from '../../database/app-db.ts'
import { writeAuditLog } from '../../database/audit-log.ts'
import type { Jobs } from '../../jobs/runner.ts'
import type { Listened } from '../../outbox/listener.ts'
import type { Transactions } from '../../outbox/unit-of-work.ts'
import {
  type ErasureRow,
  recordErasure,
  type UserErasureJob,
  userErasureQueue,
} from './erasures.sql.ts'
import { eraseInBlocks, leavesOf } from './rows.sql.ts'
import { ruledTables } from './tables.ts'
import { lostAmong } from './walk.sql.ts'
import { walkMessages } from './walk.ts'

interface UserErasureParts {
  readonly database: InstallDb
  readonly transactions: Transactions
  readonly clock: () => number
  readonly log: Logger
  /** Dead letters about the user. */
  readonly forgetLetters: (appId: string, uid: string) => Promise<void>
  readonly listened: Listened
  /** How long NATS keeps events. */
  readonly eventHours: number
}

const leaseMs = 30_000
/** What one claim does, at most: others have their turn. */
const rangeMs = 2000
const blocksAtOnce = 64
/** Between a commit and the publication of its events. */
const publishedMs = 1000
const listenersPauseMs = 1000
/** A hold may be released. */
const heldPauseMs = 600_000

/** Erases what users have left, a range at a time: first in messages, then in all other tables. */
export function userErasureJobs(parts: UserErasureParts): Jobs<UserErasureJob> {
  const { database, transactions, clock, log, listened, eventHours } = parts

  /** A transaction that changes messages also records how far it came. */
  async function inMessages(job: UserErasureJob): Promise<string> {
    return transactions.inApp(job.appId, async (ctx) => {
      // Each walk counts anew what is held.
      const before = job.reachedId === 0 ? { ...job, held: 0 } : job
      const after = await walkMessages(ctx, before)
      const record = async (to: ErasureRow, pauseMs: number, result: string) => {
        const isHeld = await recordErasure(ctx.db.db, job, to, pauseMs)
        if (!isHeld) throw new Error('The lease of an erasure is over.')
        return result
      }
      if (after) return record(after, 0, 'messages')
      if (before.held > 0) {
        return record({ ...before, status: 'held', reachedId: 0 }, heldPauseMs, 'held')
      }
      // What has been committed by now is in the stream then.
      return record({ ...before, eventsSeq: 0 }, publishedMs, 'messages')
    })
  }

  /** Rows that a listener is about to write would be found by nobody. */
  async function afterListeners(job: UserErasureJob): Promise<string> {
    const eventsSeq = job.eventsSeq || (await listened.lastSeq())
    const isPast = await listened.isPast(eventsSeq)
    const to = { ...job, eventsSeq, table: isPast ? firstTable : null }
    await recordErasure(database.db, job, to, isPast ? 0 : listenersPauseMs)
    return 'listeners'
  }

  async function finish(job: UserErasureJob, to: ErasureRow): Promise<string> {
    const { appId, uid } = job
    const { db } = database
    const goneAmong = (keys: readonly number[]) => lostAmong({ appId, db }, keys)
    await listened.forget({ appId, uid, goneAmong })
    await parts.forgetLetters(appId, uid)
    const now = clock()
    const eventsKeptUntil = now + eventHours * 3600
    const done = { ...to, status: 'done', table: null, endedAt: now, eventsKeptUntil } as const
    await transactions.inApp(appId, async ({ db: { db } }) => {
      if (!(await recordErasure(db, job, done, 0)))
        throw new Error('The lease of an erasure is over.')
      const { messages, mentions, reactions, rows } = to
      const entry = { at: now, caller: 'worker', operation: 'erasure done', requestId: '' }
      const input = { erasureId: job.id, messages, mentions, reactions, rows }
      await writeAuditLog(db, { ...entry, appId, input })
    })
    log.info({ appId, erasureId: job.id }, 'a user was erased')
    return 'done'
  }

  return {
    queue: userErasureQueue,
    limits: { leaseMs },
    async run(job) {
      if (job.eventsSeq === null) return inMessages(job)
      if (job.table === null) return afterListeners(job)
      const { db } = database
      const to = await walkTables({ appId: job.appId, db }, job)
      if (to.table === null) return finish(job, to)
      await recordErasure(db, job, to, 0)
      return 'rows'
    },
  }
}

const tables = Object.keys(ruledTables)
const [firstTable = null] = tables

/** On from where the last claim ended; its table is null after the last one. */
async function walkTables(inApp: AppDb, erasure: ErasureRow): Promise<ErasureRow> {
  const endsAt = performance.now() + rangeMs
  const rows = { ...erasure.rows }
  let { table, block } = erasure
  while (table !== null && performance.now() < endsAt) {
    const step = await eraseStep(inApp, erasure, table, block)
    if (step.rows > 0) rows[table] = (rows[table] ?? 0) + step.rows
    if (step.next === undefined) table = tables[tables.indexOf(table) + 1] ?? null
    block = step.next ?? 0
  }
  return { ...erasure, table, block, rows }
}

/** Blocks are counted through all partitions, each rounded up to whole steps. */
async function eraseStep(inApp: AppDb, erasure: ErasureRow, table: string, block: number) {
  const rule = ruledTables[table]
  if (!rule) return { rows: 0, next: undefined }
  let first = 0
  for (const { name, blocks } of await leavesOf(inApp, table)) {
    const steps = Math.max(1, Math.ceil(blocks / blocksAtOnce)) * blocksAtOnce
    if (block < first + steps) {
      const from = block - first
      const place = { leaf: name, from, below: from + blocksAtOnce }
      return {
        rows: await eraseInBlocks(inApp, erasure, place, rule),
        next: block + blocksAtOnce,
      }
    }
    first += steps
  }
  return { rows: 0, next: undefined }
}
