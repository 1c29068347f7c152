import { sql } from 'kysely'
import { type AppDb, databaseMs, jsonb } from '../../database/app-db.ts'
import type { Db } from '../../database/db.ts'
import { defineQueue, dueAgain, type Job } from '../../jobs/queue.sql.ts'

export interface RunRow {
  readonly id: string
  readonly status: 'running' | 'done'
  readonly startedAt: number
  readonly endedAt: number | null
  readonly phase: 'groups' | 'users' | 'beside'
  /** The conversation that was done with last: a guid, or two uids. */
  readonly afterOne: string
  readonly afterOther: string
  /** In the conversation behind it: entries up to here are done with. */
  readonly atSeq: number
  readonly conversations: number
  readonly messages: number
  readonly held: number
  readonly rows: Readonly<Record<string, number>>
}

export interface RetentionJob extends RunRow, Job {}

const columnsText = `
  j.run_id::text as id, j.status, j.started_at as "startedAt", j.ended_at as "endedAt", j.phase,
  j.after_one as "afterOne", j.after_other as "afterOther", j.at_seq as "atSeq", j.conversations,
  j.messages, j.held, j.rows_erased as rows`

export const retentionQueue = defineQueue<RetentionJob>({
  name: 'retention',
  table: 'retention_runs',
  key: { app_id: 'appId', run_id: 'id' },
  open: `j.status <> 'done'`,
  columns: columnsText,
})

export async function listRuns({ appId, db }: AppDb, limit: number, page: number) {
  const { rows } = await sql<RunRow>`
    select ${sql.raw(columnsText)} from retention_runs j where j.app_id = ${appId}
    order by j.run_id desc limit ${limit} offset ${(page - 1) * limit}`.execute(db)
  return rows
}

const daySeconds = 86_400

/** Once a day, of apps that have a rule. */
export async function enqueueRuns(db: Db, now: number): Promise<void> {
  await sql`
    insert into retention_runs (app_id, status, started_at, due_at)
    select distinct r.app_id, 'running', ${now}::bigint, ${databaseMs} from retention_rules r
    where not exists (
      select from retention_runs x
      where x.app_id = r.app_id and (x.status <> 'done' or x.started_at > ${now - daySeconds}))
    on conflict do nothing`.execute(db)
}

/** Reports go by age. */
export async function deleteOldRuns(db: Db, before: number): Promise<void> {
  await sql`
    delete from retention_runs where status = 'done' and ended_at < ${before}`.execute(db)
}

/** All that a step of the job may change. False: the lease is over, and somebody else has it. */
export async function recordRun(
  db: Db,
  job: RetentionJob,
  to: RunRow,
  pauseMs: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update retention_runs
    set status = ${to.status}, ended_at = ${to.endedAt}, phase = ${to.phase},
        after_one = ${to.afterOne}, after_other = ${to.afterOther}, at_seq = ${to.atSeq},
        conversations = ${to.conversations}, messages = ${to.messages}, held = ${to.held},
        rows_erased = ${jsonb(to.rows)}, attempt = 0, ${dueAgain(pauseMs)}
    where ${retentionQueue.held(job)}`.execute(db)
  return numAffectedRows === 1n
}
