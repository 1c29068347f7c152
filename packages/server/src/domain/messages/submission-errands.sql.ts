import { sql } from 'kysely'
import { databaseMs } from '../../database/app-db.ts'
import type { Db } from '../../database/db.ts'
import { type SubmissionRow, submissionAsFound } from './submissions.sql.ts'

export interface SubmissionJob extends Omit<SubmissionRow, 'status'> {
  readonly appId: string
  readonly moderationVersion: number
  /** This one included. */
  readonly tries: number
}

/** The lease grows: what nobody could judge, or what has ended whoever took it, comes less often. */
export async function claimSubmissions(
  db: Db,
  most: number,
  leaseMs: number,
): Promise<SubmissionJob[]> {
  const { rows } = await sql<SubmissionJob>`
    update moderation_submissions s
    set due_at = ${databaseMs} + ${leaseMs} * (1 << least(s.tries, 8)::int), tries = s.tries + 1
    from (
      select app_id as app, id as submission from moderation_submissions
      where status = 'pending' and due_at <= (select ${databaseMs})
      order by due_at limit ${most} for update skip locked) due
    join apps a on a.app_id = due.app
    where s.app_id = due.app and s.id = due.submission
    returning s.app_id as "appId", a.moderation_version as "moderationVersion", s.revision,
              s.tries, ${submissionAsFound}`.execute(db)
  return rows
}

/** Judges are asked again, sooner than the lease would have it. */
export async function releaseSubmission(
  db: Db,
  { appId, id, revision }: SubmissionJob,
  afterMs: number,
): Promise<void> {
  await sql`
    update moderation_submissions set due_at = ${databaseMs} + ${afterMs}
    where app_id = ${appId} and id = ${id} and revision = ${revision} and status = 'pending'
  `.execute(db)
}

/** A bounded number at a time, of all apps. */
export async function forgetSubmissions(
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
