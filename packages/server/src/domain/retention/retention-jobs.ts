import type { Logger } from 'pino'
import type { InstallDb } from '../../database/app-db.ts'
import { writeAuditLog } from '../../database/audit-log.ts'
import type { Jobs } from '../../jobs/runner.ts'
import type { Transactions } from '../../outbox/unit-of-work.ts'
import {
  deleteOldRuns,
  enqueueRuns,
  type RetentionJob,
  recordRun,
  retentionQueue,
} from './runs.sql.ts'
import { walk } from './walk.ts'

interface RetentionParts {
  readonly database: InstallDb
  readonly transactions: Transactions
  readonly clock: () => number
  readonly log: Logger
}

const leaseMs = 30_000
const keptSeconds = 400 * 86_400
/** It rests as long as it has worked: half of a connection at most. */
const restShare = 1

/** Deletes what is too old, some at a time. What a transaction did and how far it came are one. */
export function retentionJobs({
  database,
  transactions,
  clock,
  log,
}: RetentionParts): Jobs<RetentionJob> {
  return {
    queue: retentionQueue,
    limits: { leaseMs },
    enqueue: () => enqueueRuns(database.db, clock()),
    cleanup: () => deleteOldRuns(database.db, clock() - keptSeconds),
    async run(job) {
      const { appId, id } = job
      const started = performance.now()
      const to = await transactions.inApp(appId, async (ctx) => {
        const { db } = ctx.db
        const after = await walk(ctx, job)
        const restMs = (performance.now() - started) * restShare
        const isHeld = await recordRun(db, job, after, restMs)
        if (!isHeld) throw new Error('The lease of a retention run is over.')
        if (after.status === 'done') {
          const { conversations, messages, held, rows } = after
          const input = { runId: id, conversations, messages, held, rows }
          const entry = { at: ctx.now, caller: 'worker', operation: 'retention run', requestId: '' }
          await writeAuditLog(db, { ...entry, appId, input })
        }
        return after
      })
      if (to.status !== 'done') return to.phase
      log.info({ appId, runId: id, messages: to.messages }, 'old messages were deleted')
      return 'done'
    },
  }
}
