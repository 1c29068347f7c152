import type { Logger } from 'pino'
import type { InstallDb } from '../../database/app-db.ts'
import type { Jobs } from '../../jobs/runner.ts'
import type { Transactions } from '../../outbox/unit-of-work.ts'
import type { UploadProgress } from '../../realtime/subjects.ts'
import { keyOf, prefixOf, type Storage } from '../../storage/storage.ts'
import {
  endCheck,
  type FileCheckJob,
  fileCheckQueue,
  nextCheck,
  recordFacts,
} from './checks.sql.ts'
import type { FileChecks, FileFinding } from './checks.ts'
import { type FileFacts, findFiles } from './files.sql.ts'
import { updateMessages } from './settled.ts'
import type { FileStores } from './store.ts'

export interface FileCheckParts {
  readonly database: InstallDb
  readonly transactions: Transactions
  readonly stores: FileStores
  readonly checks: FileChecks
  readonly log: Logger
  /** Tells the devices of who has brought it; may be lost. */
  readonly progress?: (appId: string, uid: string, progress: UploadProgress) => void
}

const leaseMs = 300_000
/** While a store is away. */
const laterMs = 15_000
/** Claims of one step. Whoever claimed it before has not come back. */
const maxAttempts = 6
/** After the steps: every message that names the file says what became of it; then only what is shown is left. */
const notifyStep = 'notify'
const tidyStep = 'tidy'

/** Makes the steps of a file, a job for each; then everybody in the conversation sees it, or nobody does. */
export function fileCheckJobs(parts: FileCheckParts): Jobs<FileCheckJob> {
  const { stores, database } = parts
  return {
    queue: fileCheckQueue,
    limits: { leaseMs },
    async run(job) {
      const storage = await stores.of({ appId: job.appId, db: database.db }, job.storeId)
      if (job.step === notifyStep) return notify(parts, job)
      if (job.step === tidyStep) return tidy(parts, job, storage)
      const outcome = await record(parts, job, await findingOf(parts, job, storage))
      if (outcome === 'lost' && storage) await removeIfGone(parts, job, storage)
      return outcome
    },
  }
}

async function findingOf(
  parts: FileCheckParts,
  job: FileCheckJob,
  storage: Storage | undefined,
): Promise<FileFinding> {
  if (!storage) return { is: 'refused', why: 'its store is gone' }
  if (job.attempt > maxAttempts) return { is: 'refused', why: 'it could not be checked' }
  const step = parts.checks.steps.find(({ name }) => name === job.step)
  // A release before or after this one knows it.
  if (!step) return { is: 'passed' }
  try {
    return await step.run(job, storage, (at) => say(parts, job, { state: 'checking', step: at }))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { is: 'later', afterMs: laterMs, why }
  }
}

async function record(
  parts: FileCheckParts,
  job: FileCheckJob,
  finding: FileFinding,
): Promise<string> {
  const { checks, database, log } = parts
  if (finding.is === 'refused') return settle(parts, job, 'refused', { why: finding.why })
  const facts = { ...job.facts, ...finding.facts }
  if (finding.is === 'later') {
    const { why, afterMs } = finding
    log.warn({ appId: job.appId, uploadId: job.fileId, step: job.step, why }, 'a file waits')
    say(parts, job, { state: 'checking', step: 'waiting' })
    const isHeld = await nextCheck(database.db, job, { step: job.step, facts, afterMs })
    return isHeld ? 'later' : 'lost'
  }
  const place = checks.steps.findIndex(({ name }) => name === job.step)
  const next = checks.steps[place + 1]
  if (!next) return settle(parts, job, 'ready', facts)
  const isHeld = await nextCheck(database.db, job, { step: next.name, facts, afterMs: 0 })
  return isHeld ? 'passed' : 'lost'
}

/**
 * Without the messages: whoever edits one locks it before the file, and would wait for us while we wait
 * for it. An edit that names the file reads its state under a lock, so that it sees this one or is seen.
 */
async function settle(
  parts: FileCheckParts,
  job: FileCheckJob,
  state: 'ready' | 'refused',
  facts: FileFacts,
): Promise<string> {
  const isHeld = await parts.transactions.inApp(job.appId, async ({ db }) => {
    const to = { step: notifyStep, facts, afterMs: 0 }
    if (!(await nextCheck(db.db, job, to))) return false
    await recordFacts(db, job.fileId, { state, facts })
    return true
  })
  if (!isHeld) return 'lost'
  say(parts, job, { state, ...(facts.why !== undefined && { why: facts.why }) })
  return state
}

/** What the app itself has brought is told to nobody. */
function say(
  { progress }: FileCheckParts,
  { appId, uid, fileId: uploadId }: FileCheckJob,
  now: Omit<UploadProgress, 'uploadId'>,
): void {
  if (uid !== null) progress?.(appId, uid, { uploadId, ...now })
}

async function notify({ transactions }: FileCheckParts, job: FileCheckJob): Promise<string> {
  return transactions.inApp(job.appId, async (ctx) => {
    const to = { step: tidyStep, facts: job.facts, afterMs: 0 }
    if (!(await nextCheck(ctx.db.db, job, to))) return 'lost'
    await updateMessages(ctx, job.fileId)
    return 'told'
  })
}

/** Nothing is left of what nobody sees: neither what was brought and rewritten, nor what was refused. */
async function tidy(
  { database }: FileCheckParts,
  job: FileCheckJob,
  storage: Storage | undefined,
): Promise<string> {
  const { about } = job.facts
  if (about && about.part === 'held') await storage?.remove(keyOf(job.appId, job.fileId))
  else if (about) {
    for (const part of ['original', 'held']) {
      await storage?.remove(keyOf(job.appId, job.fileId, part))
    }
  } else if (job.facts.why !== undefined && storage) await removeObjects(storage, job)
  return (await endCheck(database.db, job)) ? 'tidied' : 'lost'
}

/** It was removed while it was looked at: so is what was written meanwhile. */
async function removeIfGone(
  { database: { db } }: FileCheckParts,
  job: FileCheckJob,
  storage: Storage,
): Promise<void> {
  const [file] = await findFiles({ appId: job.appId, db }, [job.fileId])
  if (!file) await removeObjects(storage, job)
}

async function removeObjects(storage: Storage, { appId, fileId }: FileCheckJob): Promise<void> {
  for await (const { key } of storage.list(prefixOf(appId, fileId))) await storage.remove(key)
}
