import type { InstallDb } from '../../database/app-db.ts'
import { pauseMs } from '../../jobs/backoff.ts'
import type { Jobs } from '../../jobs/runner.ts'
import type { AppTransaction, InstallTransaction, Transactions } from '../../outbox/unit-of-work.ts'
import { asFound } from '../messages/stored/index.ts'
import { deleteCases, insertCase } from '../rules/cases/index.ts'
import { type ClassifierParts, consultClassifiers } from '../rules/classifiers/index.ts'
import { type Decided, isPending, moderationResultOf, type RuleCheck } from '../rules/index.ts'
import { profilesIn, serialiseFresh } from '../views/index.ts'
import {
  deleteOldSubmissions,
  type SubmissionJob,
  settleSubmission,
  submissionQueue,
} from './submission-jobs.sql.ts'

interface SubmissionParts extends ClassifierParts {
  readonly database: InstallDb
  readonly transactions: Transactions
  readonly checkRules: RuleCheck
  readonly clock: () => number
  /** The pause before classifiers are asked again; it doubles. */
  readonly retryMs: number
}

/** Beyond the calls to classifiers. */
const leaseGraceMs = 5000
/** Of classifiers that give no answer. */
const maxAttempts = 3
const keepSeconds = 90 * 86_400
/** In no conversation. */
const nowhere = { bucket: 0, key: 0, seq: 0 }

/** Submissions are moderated by the rules in force when a worker claims them. */
export function submissionJobs(parts: SubmissionParts): Jobs<SubmissionJob> {
  const { database, transactions, clock } = parts
  return {
    queue: submissionQueue,
    limits: { leaseMs: parts.timeoutMs + leaseGraceMs },
    async run(job) {
      const result = await moderate(parts, job)
      if (!result) {
        const afterMs = pauseMs({ firstMs: parts.retryMs }, job.attempt)
        await submissionQueue.release(database.db, job, afterMs)
        return 'unanswered'
      }
      await transactions.inApp(job.appId, (ctx) => record(ctx, job, result))
      return result.moderation.status
    },
    async cleanup() {
      const before = clock() - keepSeconds
      while (await transactions.inInstall((ctx) => deleteOld(ctx, before)));
    },
  }
}

/** Where no rule is in force, nothing speaks against it. Undefined: classifiers have not answered. */
async function moderate(parts: SubmissionParts, job: SubmissionJob): Promise<Decided | undefined> {
  const { appId, moderationVersion, revision: _, attempt, leasedUntil: __, ...found } = job
  const entry = asFound(found)
  const { row, receiver } = entry
  const inApp = { appId, db: parts.database.db }
  const from = profilesIn(inApp)
  const result = await parts.checkRules(
    { app: { appId, moderationVersion }, db: inApp, actor: undefined },
    { ...row, data: JSON.parse(row.data), receiver, from },
  )
  if (!result) return moderationResultOf(undefined)
  if (!isPending(result)) return result
  const [message = '{}'] = await serialiseFresh(inApp, from, [entry], { viewer: undefined })
  // What lives elsewhere has no conversation here, and no files.
  const matter = { sender: row.sender, message, pictures: [], earlier: async () => [] }
  const { verdict } = result
  const heard = await consultClassifiers(parts, inApp, verdict, matter, attempt < maxAttempts)
  return heard && moderationResultOf(heard.verdict)
}

/** Once: whoever comes later with the same, or with what was edited meanwhile, changes nothing. */
async function record(
  { db, outbox, now }: AppTransaction,
  job: SubmissionJob,
  result: Decided,
): Promise<void> {
  const { id, revision } = job
  if (!(await settleSubmission(db, job, result, now))) return
  const { verdict, moderation } = result
  const { status } = moderation
  if (verdict) {
    const kind = status === 'disapproved' ? 'blocked' : 'flagged'
    await insertCase(db, { ...nowhere, id }, { kind, verdict, anew: true }, now)
  }
  await outbox.append('submission.moderated', { id, revision, status, by: 'rules' })
}

/** True: there may be more. */
async function deleteOld({ db }: InstallTransaction, before: number): Promise<boolean> {
  const gone = await deleteOldSubmissions(db.db, before)
  for (const [appId, rows] of Map.groupBy(gone, (row) => row.appId)) {
    await deleteCases(
      { appId, ...db },
      rows.map(({ id }) => id),
    )
  }
  return gone.length > 0
}
