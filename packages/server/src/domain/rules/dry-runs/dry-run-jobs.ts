import { LRUCache } from 'lru-cache'
import type { AppDb, InstallDb } from '../../../database/app-db.ts'
import type { Jobs } from '../../../jobs/runner.ts'
import type { Compiler } from '../compiler/compiler.ts'
import type { RuleSet } from '../engine/rule-set.ts'
import {
  type DryRunJob,
  deleteOldDryRuns,
  dryRunQueue,
  failDryRun,
  recordRange,
} from './dry-run-jobs.sql.ts'
import { walkRange } from './dry-run-walk.ts'
import { termsOfRevisions } from './dry-runs.sql.ts'

interface DryRunParts {
  readonly database: InstallDb
  readonly compiler: Compiler
  readonly clock: () => number
}

/** A range takes a tenth of it. */
const leaseMs = 5000
/** Claims in a row that came to no end: it kills whoever takes it. */
const maxAttempts = 5
const keepSeconds = 14 * 86_400

/** Dry runs, a range at a time: runs of all apps take turns, with whichever worker is free. */
export function dryRunJobs({ database, compiler, clock }: DryRunParts): Jobs<DryRunJob> {
  const { db } = database
  const sets = new LRUCache<string, RuleSet>({ max: 10 })

  async function setOf(inApp: AppDb, job: DryRunJob): Promise<RuleSet> {
    const set = sets.get(job.id) ?? (await compile(inApp, job, compiler))
    sets.set(job.id, set)
    return set
  }

  return {
    queue: dryRunQueue,
    limits: { leaseMs },
    async run(job) {
      if (job.attempt > maxAttempts) {
        await failDryRun(db, job, clock())
        return 'failed'
      }
      const inApp = { appId: job.appId, db }
      const range = await walkRange(inApp, job, await setOf(inApp, job))
      await recordRange(db, job, range, clock())
      return 'walked'
    },
    async cleanup() {
      while (await deleteOldDryRuns(db, clock() - keepSeconds));
    },
  }
}

/** Both rules in one set, named after their place. */
async function compile(db: AppDb, job: DryRunJob, compiler: Compiler): Promise<RuleSet> {
  const [a, b] = job.rules
  const named = [
    { ...a, id: 'a', revisionId: 'a' },
    ...(b ? [{ ...b, id: 'b', revisionId: 'b' }] : []),
  ]
  return compiler.compile(job.appId, named, { lists: await termsOfRevisions(db, job.lists) })
}
