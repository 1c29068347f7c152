import { sql } from 'kysely'
import { type AppDb, jsonb } from '../../database/app-db.ts'
import type { Db } from '../../database/db.ts'
import { defineQueue, type Job } from '../../jobs/queue.sql.ts'
import type { ModerationResult } from '../rules/index.ts'
import { type SubmissionRow, submissionAsFound } from './submissions.sql.ts'

export interface SubmissionJob extends Omit<SubmissionRow, 'status'>, Job {
  readonly moderationVersion: number
}

export const submissionQueue = defineQueue<SubmissionJob>({
  name: 'submissions',
  table: 'moderation_submissions',
  key: { app_id: 'appId', id: 'id' },
  open: `j.status = 'pending'`,
  columns: `a.moderation_version as "moderationVersion", j.revision, ${submissionAsFound}`,
  joins: 'cross join lateral (select * from apps a where a.app_id = j.app_id limit 1) a',
})

/** False: the lease is lost, or it has changed since. */
export async function settleSubmission(
  { db }: AppDb,
  job: SubmissionJob,
  { moderation, verdict }: ModerationResult,
  now: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update moderation_submissions
    set moderation = ${jsonb(moderation)}, verdict = ${jsonb(verdict)}, updated_at = ${now},
        leased_until = null
    where ${submissionQueue.held(job)}`.execute(db)
  return numAffectedRows === 1n
}

/** A bounded number at a time, of all apps. */
export async function deleteOldSubmissions(
  db: Db,
  before: number,
): Promise<{ readonly appId: string; readonly id: number }[]> {
  const { rows } = await sql<{ appId: string; id: number }>`
    delete from moderation_submissions where (app_id, id) in (
      select app_id, id from moderation_submissions
      where created_at < ${before} order by created_at limit 100)
    returning app_id as "appId", id`.execute(db)
  return rows
}
