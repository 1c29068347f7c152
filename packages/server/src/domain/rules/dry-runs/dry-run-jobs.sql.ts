import { sql } from 'kysely'
import { jsonb } from '../../../database/app-db.ts'
import type { Db } from '../../../database/db.ts'
import { defineQueue, dueAgain, type Job } from '../../../jobs/queue.sql.ts'
import { type DryRunRow, dryRunColumns, isOpen, type NewMatch } from './dry-runs.sql.ts'

export interface DryRunJob extends DryRunRow, Job {}

export const dryRunQueue = defineQueue<DryRunJob>({
  name: 'dry runs',
  table: 'moderation_dry_runs',
  key: { app_id: 'appId', run_id: 'id' },
  open: isOpen,
  columns: dryRunColumns,
  set: `status = 'running'`,
})

/** What a range adds to what is known. */
export interface Range {
  readonly isDone: boolean
  readonly firstId: number
  readonly lastId: number
  readonly reachedId: number
  readonly scanned: number
  readonly onlyA: number
  readonly onlyB: number
  readonly both: number
  readonly matches: readonly NewMatch[]
}

/** Nothing, if the run was cancelled meanwhile, or the lease ran out and somebody else has it. */
export async function recordRange(
  db: Db,
  job: DryRunJob,
  range: Range,
  now: number,
): Promise<void> {
  const { isDone, firstId, lastId, reachedId, scanned, onlyA, onlyB, both, matches } = range
  await sql`
    with held as (
      update moderation_dry_runs
      set status = ${isDone ? 'done' : 'running'}, first_id = ${firstId}, last_id = ${lastId},
          reached_id = ${reachedId}, scanned = scanned + ${scanned}, only_a = only_a + ${onlyA},
          only_b = only_b + ${onlyB}, in_both = in_both + ${both}, ${dueAgain(0)},
          attempt = 0, ended_at = ${isDone ? now : null}
      where ${dryRunQueue.held(job)}
      returning app_id, run_id)
    insert into moderation_dry_run_matches (app_id, run_id, message_id, caught_by, conversation_id,
                                            sender, sent_at, findings)
    select h.app_id, h.run_id, m."messageId", m."caughtBy", m."conversationId", m.sender,
           m."sentAt", m.findings
    from held h, jsonb_to_recordset(${jsonb(matches)}) as m ("messageId" bigint, "caughtBy" text,
      "conversationId" text, sender text, "sentAt" bigint, findings jsonb)`.execute(db)
}

export async function failDryRun(db: Db, job: DryRunJob, now: number): Promise<void> {
  await sql`
    update moderation_dry_runs set status = 'failed', ended_at = ${now}, ${dueAgain(0)}
    where ${dryRunQueue.held(job)}`.execute(db)
}

/** A bounded number at a time. True: there are more. */
export async function deleteOldDryRuns(db: Db, before: number): Promise<boolean> {
  const most = 100
  const { numAffectedRows } = await sql`
    delete from moderation_dry_runs where (app_id, run_id) in (
      select app_id, run_id from moderation_dry_runs
      where created_at < ${before} order by created_at limit ${most})`.execute(db)
  return numAffectedRows === BigInt(most)
}
