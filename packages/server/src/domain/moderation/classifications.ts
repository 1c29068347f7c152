import type { Logger } from 'pino'
import type { AppDb, InstallDb } from '../../database/app-db.ts'
import { pauseMs } from '../../jobs/backoff.ts'
import type { Jobs } from '../../jobs/runner.ts'
import type { Transactions } from '../../outbox/unit-of-work.ts'
import type { FileAddresses } from '../../storage/addresses.ts'
import { asTheyAre } from '../files/index.ts'
import { type Entry, type EntryFile, opened, type Verdict } from '../log/entries/index.ts'
import { findMessage, lockConversationOf } from '../messages/stored/index.ts'
import {
  type ClassificationJob,
  type ClassifierParts,
  type Consulted,
  classificationQueue,
  consultClassifiers,
  findRemarks,
  postpone,
  recordOutcome,
  takeDecided,
} from '../rules/classifiers/index.ts'
import { blocks, isMedia, subjectsOf } from '../rules/index.ts'
import { picturesOf, profilesIn, serialiseEntries } from '../views/index.ts'
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
/** Whoever has checked the last file says so at once; this is for the case that nobody does. */
const checkedAfterMs = 600_000

/** What waits for classifiers: each is asked about, and takes effect in its turn. */
export function classificationJobs(parts: ClassificationParts): Jobs<ClassificationJob> {
  const { database, perApp, timeoutMs, retryMs } = parts
  return {
    queue: classificationQueue,
    limits: { perApp, leaseMs: timeoutMs + leaseGraceMs },
    async run(job) {
      const outcome = await consider(parts, job)
      if (outcome === 'postponed') return outcome
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
): Promise<Consulted | 'unanswered' | 'postponed'> {
  const db = { appId: job.appId, db: parts.database.db }
  const entry = await findMessage(db, job.messageId, false, job.sender)
  const proposed = entry && proposedBy(entry, job)
  // Gone meanwhile: there is nobody to tell.
  if (!proposed) return { failures: [] }
  const checked = await withCheckedFiles(parts, job, proposed)
  if (!checked) return 'postponed'
  const matter = {
    sender: checked.entry.row.sender,
    ...(await shown(db, checked.entry, parts.addresses)),
    earlier: (most: number) =>
      findRemarks(db, job, { most, before: job.edit ? job.seq : undefined }),
  }
  const mayAskAgain = mayTryAgain(parts, job)
  const heard = await consultClassifiers(parts, db, checked.verdict, matter, mayAskAgain)
  if (!heard) return 'unanswered'
  for (const one of heard.failures) {
    parts.log.warn({ appId: job.appId, ...one }, 'a moderation classifier failed to answer')
  }
  return heard
}

interface Proposed {
  readonly entry: Entry
  readonly verdict: Verdict
}

/** The message as it would be, and what is asked about it. */
function proposedBy({ row, receiver }: Entry, { edit }: ClassificationJob): Proposed | undefined {
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

/**
 * Who is asked about files looks at those that others would see, so after their checks. What is asked
 * about files that were refused, or turned out to be something else, is not asked. Undefined: it waits.
 */
async function withCheckedFiles(
  { transactions }: ClassificationParts,
  job: ClassificationJob,
  proposed: Proposed,
): Promise<Proposed | undefined> {
  const { entry, verdict } = proposed
  const { row } = entry
  const { pending = [] } = verdict
  const named = row.extra?.files ?? []
  const isAboutFiles = pending.some(({ condition }) => isMedia(condition.operand))
  if (!isAboutFiles || named.length === 0) return proposed
  const files = await transactions.inApp(job.appId, async (ctx) => {
    const now = await asTheyAre(ctx, named)
    if (isChecked(now)) return now
    await postpone(ctx.db.db, job, checkedAfterMs)
    return undefined
  })
  if (!files) return undefined
  const subjects = subjectsOf({ ...row, data: JSON.parse(row.data), files }) ?? {}
  const left = pending.filter(({ condition }) => subjects[condition.operand] !== undefined)
  return {
    entry: { ...entry, row: { ...row, extra: { ...row.extra, files } } },
    verdict: { ...verdict, pending: left },
  }
}

function isChecked(files: readonly EntryFile[]): boolean {
  return files.every(({ state }) => state !== 'checking')
}

/** The message, and addresses of what it shows. Nobody is led to a file that is still checked. */
async function shown(
  db: AppDb,
  entry: Entry,
  given: FileAddresses | undefined,
): Promise<{ message: string; pictures: readonly string[] }> {
  const addresses = isChecked(entry.row.extra?.files ?? []) ? given : undefined
  const view = { viewer: undefined, addresses }
  const [message = '{}'] = await serialiseEntries(db, profilesIn(db), [entry], view)
  const pictures = addresses ? picturesOf(entry.row, db.appId, addresses) : []
  return { message, pictures }
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
