import type { Logger } from 'pino'
import type { AppDb, InstallDb } from '../../database/app-db.ts'
import { pauseMs } from '../../jobs/backoff.ts'
import type { Jobs } from '../../jobs/runner.ts'
import type { Transactions } from '../../outbox/unit-of-work.ts'
import type { FileAddresses } from '../../storage/addresses.ts'
import { type Entry, opened, type Verdict } from '../log/entries/index.ts'
import { findMessage, lockConversationOf } from '../messages/stored/index.ts'
import {
  type ClassificationJob,
  type ClassifierParts,
  type Consulted,
  classificationQueue,
  consultClassifiers,
  findRemarks,
  recordOutcome,
  takeDecided,
} from '../rules/classifiers/index.ts'
import { blocks } from '../rules/index.ts'
import { profilesIn, serialiseEntries } from '../views/index.ts'
import { settle } from './settling.ts'

export interface ClassificationParts extends ClassifierParts {
  readonly database: InstallDb
  readonly transactions: Transactions
  readonly log: Logger
  readonly perApp: number
  /** The pause before the second attempt; it doubles. */
  readonly retryMs: number
  /** No attempt begins that could end later than this after the send, but for the first. */
  readonly budgetMs: number
  /** Of files: whoever is asked may look at them. */
  readonly addresses?: FileAddresses | undefined
}

const maxAttempts = 3
/** Beyond the calls themselves: to wait for their turn, and to record them. */
const leaseGraceMs = 10_000

/** What waits for classifiers: each is asked about, and takes effect in its turn. */
export function classificationJobs(parts: ClassificationParts): Jobs<ClassificationJob> {
  const { database, perApp, timeoutMs, retryMs } = parts
  return {
    queue: classificationQueue,
    limits: { perApp, leaseMs: timeoutMs + leaseGraceMs },
    async run(job) {
      const outcome = await consider(parts, job)
      if (outcome === 'unanswered') {
        const afterMs = pauseMs({ firstMs: retryMs }, job.attempt)
        await classificationQueue.release(database.db, job, afterMs)
        return outcome
      }
      await conclude(parts, job, outcome)
      if (outcome.failures.length > 0) return 'failed'
      if (!outcome.verdict) return 'approved'
      return blocks(outcome.verdict) ? 'blocked' : 'flagged'
    },
  }
}

async function consider(
  parts: ClassificationParts,
  job: ClassificationJob,
): Promise<Consulted | 'unanswered'> {
  const db = { appId: job.appId, db: parts.database.db }
  const entry = await findMessage(db, job.messageId, false, job.sender)
  const proposed = entry && proposedBy(entry, job)
  // Gone meanwhile: there is nobody to tell.
  if (!proposed) return { failures: [] }
  const matter = {
    sender: proposed.entry.row.sender,
    message: await printed(db, proposed.entry, parts.addresses),
    earlier: (most: number) =>
      findRemarks(db, job, { most, before: job.edit ? job.seq : undefined }),
  }
  const mayAskAgain = mayTryAgain(parts, job)
  const heard = await consultClassifiers(parts, db, proposed.verdict, matter, mayAskAgain)
  if (!heard) return 'unanswered'
  for (const one of heard.failures) {
    parts.log.warn({ appId: job.appId, ...one }, 'a moderation classifier failed to answer')
  }
  return heard
}

/** The message as it would be, and what is asked about it. */
function proposedBy(
  { row, receiver }: Entry,
  { edit }: ClassificationJob,
): { entry: Entry; verdict: Verdict } | undefined {
  if (edit) {
    if (row.deletedAt !== null) return undefined
    const shown = {
      ...row,
      data: JSON.stringify(edit.data),
      extra: { ...row.extra, ...edit.extra },
    }
    return { entry: { row: shown, receiver }, verdict: edit.verdict }
  }
  const { sealed, withheld: _, ...verdict } = row.verdict ?? { actions: [] }
  return sealed && { entry: { row: opened(row, sealed), receiver }, verdict }
}

async function printed(
  db: AppDb,
  entry: Entry,
  addresses: FileAddresses | undefined,
): Promise<string> {
  const view = { viewer: undefined, addresses }
  const [text = '{}'] = await serialiseEntries(db, profilesIn(db), [entry], view)
  return text
}

function mayTryAgain(
  parts: ClassificationParts,
  { attempt, elapsedMs }: ClassificationJob,
): boolean {
  const { timeoutMs, retryMs, budgetMs } = parts
  const endMs = elapsedMs + timeoutMs + pauseMs({ firstMs: retryMs }, attempt) + timeoutMs
  return attempt < maxAttempts && endMs <= budgetMs
}

/** Takes effect now, with all behind it that are decided; or waits for those before it. */
async function conclude(
  { transactions }: ClassificationParts,
  job: ClassificationJob,
  outcome: Consulted,
): Promise<void> {
  await transactions.inApp(job.appId, async (ctx) => {
    await lockConversationOf(ctx.db, job.messageId)
    if (!(await recordOutcome(ctx.db.db, job, outcome))) return
    for (;;) {
      const next = await takeDecided(ctx.db, job)
      if (!next) return
      await settle(ctx, next)
    }
  })
}
