import type { Db } from '../../database/app-db.ts'
import type { Database } from '../../database/pool.ts'
import type { Sink } from '../../outbox/committed.ts'
import { type OpenOutbox, openOutbox } from '../../outbox/outbox.ts'
import { peopleIn } from '../conversations/index.ts'
import { deleteCases, insertCase, type Judge, type Judgement } from '../moderation/index.ts'
import { asFound } from './messages.sql.ts'
import {
  claimSubmissions,
  forgetSubmissions,
  type SubmissionJob,
} from './submission-errands.sql.ts'
import { settleSubmission } from './submissions.sql.ts'

interface SubmissionParts {
  readonly database: Database
  readonly judge: Judge
  readonly sink: Sink
  readonly clock: () => number
}

const leaseMs = 10_000
const keepSeconds = 90 * 86_400
/** In no conversation. */
const nowhere = { bucket: 0, key: 0, seq: 0 }

/** Submissions are judged by the rules in force when a worker takes them. */
export function submissionErrands({ database, judge, sink, clock }: SubmissionParts) {
  return {
    name: 'submissions',
    claim: (most: number) => claimSubmissions(database.db, most, leaseMs),
    async carryOut(job: SubmissionJob): Promise<string> {
      const judgement = await judged(judge, database.db, job)
      const outbox = await database.transaction((db) => record(db, job, judgement, clock()))
      sink(outbox.recorded)
      return judgement.moderation.status
    },
    async tidy(): Promise<void> {
      const before = clock() - keepSeconds
      while (await database.transaction((db) => forget(db, before)));
    },
  }
}

/** Where no rule is in force, nothing speaks against it. */
async function judged(judge: Judge, db: Db, job: SubmissionJob): Promise<Judgement> {
  const { appId, moderationVersion, revision: _, ...found } = job
  const { row, receiver } = asFound(found)
  const inApp = { appId, db }
  const judgement = await judge(
    { app: { appId, moderationVersion }, db: inApp, actor: undefined },
    { ...row, data: JSON.parse(row.data), receiver, from: peopleIn(inApp) },
  )
  return judgement ?? { moderation: { status: 'approved' } }
}

/** Once: whoever comes later with the same, or with what was edited meanwhile, changes nothing. */
async function record(
  db: Db,
  job: SubmissionJob,
  judgement: Judgement,
  now: number,
): Promise<OpenOutbox> {
  const { appId, id, revision } = job
  const inApp = { appId, db }
  const outbox = openOutbox(inApp, now)
  if (!(await settleSubmission(inApp, job, judgement, now))) return outbox
  const { verdict, moderation } = judgement
  const { status } = moderation
  if (verdict) {
    const kind = status === 'disapproved' ? 'blocked' : 'flagged'
    await insertCase(inApp, { ...nowhere, id }, { kind, verdict, anew: true }, now)
  }
  await outbox.append('submission.judged', { id, revision, status, by: 'rules' })
  return outbox
}

/** True: there may be more. */
async function forget(db: Db, before: number): Promise<boolean> {
  const gone = await forgetSubmissions(db, before)
  for (const [appId, rows] of Map.groupBy(gone, (row) => row.appId)) {
    await deleteCases(
      { appId, db },
      rows.map(({ id }) => id),
    )
  }
  return gone.length > 0
}
