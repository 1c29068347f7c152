import type { InstallDb } from '../../database/app-db.ts'
import type { Jobs } from '../../jobs/runner.ts'
import type { Transactions } from '../../outbox/unit-of-work.ts'
import {
  endCheck,
  type FileCheckJob,
  fileCheckQueue,
  nextCheck,
  recordFacts,
} from './checks.sql.ts'
import type { FileChecks, FileFinding } from './checks.ts'
import { updateMessages } from './settled.ts'
import type { FileStores } from './store.ts'

interface FileCheckParts {
  readonly database: InstallDb
  readonly transactions: Transactions
  readonly stores: FileStores
  readonly checks: FileChecks
}

const leaseMs = 300_000

/** Makes the steps of a file, a job for each; then everybody in the conversation sees it, or nobody does. */
export function fileCheckJobs(parts: FileCheckParts): Jobs<FileCheckJob> {
  const { database, transactions, stores, checks } = parts
  const { db } = database

  async function settle(job: FileCheckJob, state: 'ready' | 'refused', facts: object) {
    await transactions.inApp(job.appId, async (ctx) => {
      if (!(await endCheck(ctx.db.db, job))) throw new Error('The lease of a check is over.')
      await recordFacts(ctx.db, job.fileId, { state, facts })
      await updateMessages(ctx, job.fileId, state)
    })
    return state
  }

  async function record(job: FileCheckJob, finding: FileFinding): Promise<string> {
    if (finding.is === 'later') {
      const to = { step: job.step, facts: job.facts, afterMs: finding.afterMs }
      await nextCheck(db, job, to)
      return 'later'
    }
    if (finding.is === 'refused') return settle(job, 'refused', { ...job.facts, why: finding.why })
    const facts = { ...job.facts, ...finding.facts }
    const place = checks.steps.findIndex(({ name }) => name === job.step)
    const next = checks.steps[place + 1]
    if (!next) return settle(job, 'ready', facts)
    await nextCheck(db, job, { step: next.name, facts, afterMs: 0 })
    return 'passed'
  }

  return {
    queue: fileCheckQueue,
    limits: { leaseMs },
    async run(job) {
      const step = checks.steps.find(({ name }) => name === job.step)
      // A release before or after this one knows it.
      if (!step) return record(job, { is: 'passed' })
      const storage = await stores.of({ appId: job.appId, db }, job.storeId)
      if (!storage) return record(job, { is: 'refused', why: 'its store is gone' })
      return record(job, await step.run(job, storage))
    },
  }
}
