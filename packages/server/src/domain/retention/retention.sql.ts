import { sql } from 'kysely'
import { type AppDb, databaseMs } from '../../database/app-db.ts'

export interface RetentionRow {
  readonly retentionId: string
  readonly days: number
  readonly guid: string | null
  readonly low: string | null
  readonly high: string | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** Of a group, of two users, or of the app. */
export interface Whose {
  readonly guid?: string
  readonly low?: string
  readonly high?: string
}

const columns = sql`
  retention_id::text as "retentionId", days, guid, low_uid as low, high_uid as high,
  created_at as "createdAt", updated_at as "updatedAt"`

/** One that is there gets other days. */
export async function saveRule(
  { appId, db }: AppDb,
  { guid, low, high }: Whose,
  days: number,
  now: number,
): Promise<RetentionRow> {
  const { rows } = await sql<RetentionRow>`
    with changed as (
      update retention_rules set days = ${days}, updated_at = ${now}
      where app_id = ${appId} and guid is not distinct from ${guid ?? null}
        and low_uid is not distinct from ${low ?? null}
        and high_uid is not distinct from ${high ?? null}
      returning ${columns}
    ), made as (
      insert into retention_rules (app_id, days, guid, low_uid, high_uid, created_at, updated_at)
      select ${appId}, ${days}, ${guid ?? null}, ${low ?? null}, ${high ?? null}, ${now}, ${now}
      where not exists (select from changed)
      returning ${columns}
    )
    select * from changed union all select * from made`.execute(db)
  const [row] = rows
  if (!row) throw new Error('A retention was not saved.')
  return row
}

export async function listRules({ appId, db }: AppDb, limit: number, page: number) {
  const { rows } = await sql<RetentionRow>`
    select ${columns} from retention_rules where app_id = ${appId}
    order by retention_rules.retention_id limit ${limit} offset ${(page - 1) * limit}`.execute(db)
  return rows
}

export async function deleteRule({ appId, db }: AppDb, retentionId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from retention_rules
    where app_id = ${appId} and retention_id = ${retentionId}`.execute(db)
  return numAffectedRows === 1n
}

/** Locked: it is not deleted meanwhile. */
export async function isThere({ appId, db }: AppDb, { guid, low, high }: Whose): Promise<boolean> {
  const { rows } = await (guid === undefined
    ? sql`select from user_conversations
          where app_id = ${appId} and low_uid = ${low} and high_uid = ${high} for key share`
    : sql`select from groups where app_id = ${appId} and guid = ${guid} for key share`
  ).execute(db)
  return rows.length > 0
}

/** Of the whole app. */
export async function appDays({ appId, db }: AppDb): Promise<number | undefined> {
  const { rows } = await sql<{ days: number }>`
    select days from retention_rules
    where app_id = ${appId} and guid is null and low_uid is null`.execute(db)
  return rows[0]?.days
}

/** A run that is under way begins anew: a rule that is new holds everywhere. */
export async function beginRun({ appId, db }: AppDb, now: number): Promise<void> {
  await sql`
    insert into retention_runs (app_id, status, started_at, due_at)
    values (${appId}, 'running', ${now}, ${databaseMs})
    on conflict (app_id) where status <> 'done' do update
    set started_at = excluded.started_at, phase = 'groups', after_one = '', after_other = '',
        at_seq = 0, held = 0, leased_until = null, due_at = excluded.due_at`.execute(db)
}
