import { sql } from 'kysely'
import { databaseMs, jsonb } from '../../database/app-db.ts'
import type { Db } from '../../database/db.ts'
import { type DryRunRow, dryRunColumns, isOpen, type NewMatch } from './dry-runs.sql.ts'

export interface DryRunJob extends DryRunRow {
  readonly appId: string
  readonly leasedUntil: number
  readonly tries: number
}

/** Whoever has waited longest comes first, so that runs of several apps take turns. */
export async function claimDryRuns(db: Db, most: number, leaseMs: number): Promise<DryRunJob[]> {
  const { rows } = await sql<DryRunJob>`
    update moderation_dry_runs r
    set status = 'running', due_at = ${databaseMs} + ${leaseMs}, tries = r.tries + 1
    from (
      select app_id as app, run_id as run from moderation_dry_runs
      where ${isOpen} and due_at <= (select ${databaseMs})
      order by due_at limit ${most} for update skip locked) due
    where r.app_id = due.app and r.run_id = due.run
    returning r.app_id as "appId", r.due_at as "leasedUntil", r.tries, ${dryRunColumns}`.execute(db)
  return rows
}

/** What a stretch adds to what is known. */
export interface Stretch {
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
export async function recordStretch(
  db: Db,
  { appId, id, leasedUntil }: DryRunJob,
  stretch: Stretch,
  now: number,
): Promise<void> {
  const { isDone, firstId, lastId, reachedId, scanned, onlyA, onlyB, both, matches } = stretch
  await sql`
    with held as (
      update moderation_dry_runs
      set status = ${isDone ? 'done' : 'running'}, first_id = ${firstId}, last_id = ${lastId},
          reached_id = ${reachedId}, scanned = scanned + ${scanned}, only_a = only_a + ${onlyA},
          only_b = only_b + ${onlyB}, in_both = in_both + ${both}, due_at = ${databaseMs},
          tries = 0, ended_at = ${isDone ? now : null}
      where app_id = ${appId} and run_id = ${id} and status = 'running' and due_at = ${leasedUntil}
      returning app_id, run_id)
    insert into moderation_dry_run_matches (app_id, run_id, message_id, caught_by, conversation_id,
                                            sender, sent_at, findings)
    select h.app_id, h.run_id, m."messageId", m."caughtBy", m."conversationId", m.sender,
           m."sentAt", m.findings
    from held h, jsonb_to_recordset(${jsonb(matches)}) as m ("messageId" bigint, "caughtBy" text,
      "conversationId" text, sender text, "sentAt" bigint, findings jsonb)`.execute(db)
}

export async function failDryRun(db: Db, { appId, id }: DryRunJob, now: number): Promise<void> {
  await sql`
    update moderation_dry_runs set status = 'failed', ended_at = ${now}
    where app_id = ${appId} and run_id = ${id} and ${isOpen}`.execute(db)
}

/** A bounded number at a time. True: there are more. */
export async function forgetDryRuns(db: Db, before: number): Promise<boolean> {
  const most = 100
  const { numAffectedRows } = await sql`
    delete from moderation_dry_runs where (app_id, run_id) in (
      select app_id, run_id from moderation_dry_runs
      where created_at < ${before} order by created_at limit ${most})`.execute(db)
  return numAffectedRows === BigInt(most)
}
