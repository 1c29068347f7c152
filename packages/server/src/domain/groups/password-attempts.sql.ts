import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'

export interface Attempt {
  readonly guid: string
  readonly uid: string
  readonly now: number
}

export interface AttemptLimits {
  readonly maxPerUser: number
  readonly maxPerGroup: number
  readonly windowSeconds: number
}

/**
 * Counts an attempt before it is made, so that attempts at the same time are counted as well. False:
 * there were too many, and this one is not counted.
 */
export async function takeAttempt(
  { appId, db }: AppDb,
  { guid, uid, now }: Attempt,
  { maxPerUser, maxPerGroup, windowSeconds }: AttemptLimits,
): Promise<boolean> {
  const { rows } = await sql`
    insert into group_password_attempts as known (app_id, guid, uid, attempts, until)
    select ${appId}, ${guid}, ${uid}, 1, ${now + windowSeconds}::bigint
    where (
      select coalesce(sum(attempts), 0) from group_password_attempts
      where app_id = ${appId} and guid = ${guid} and until > ${now}
    ) < ${maxPerGroup}
    on conflict (app_id, guid, uid) do update set
      attempts = case when known.until > ${now} then known.attempts + 1 else 1 end,
      until = case when known.until > ${now} then known.until else excluded.until end
    where known.until <= ${now} or known.attempts < ${maxPerUser}
    returning true`.execute(db)
  return rows.length > 0
}

/** When this user may try again at the earliest. */
export async function findNextAttempt(
  { appId, db }: AppDb,
  { guid, uid, now }: Attempt,
  { maxPerUser }: AttemptLimits,
): Promise<number> {
  const { rows } = await sql<{ at: number | null }>`
    select coalesce(max(until) filter (where uid = ${uid} and attempts >= ${maxPerUser}),
                    min(until)) as at
    from group_password_attempts
    where app_id = ${appId} and guid = ${guid} and until > ${now}`.execute(db)
  return rows[0]?.at ?? now
}

export async function forgetAttempts({ appId, db }: AppDb, guid: string, uid: string) {
  await sql`
    delete from group_password_attempts
    where app_id = ${appId} and guid = ${guid} and uid = ${uid}`.execute(db)
}

/** Those whose time is over. */
export async function clearAttempts({ appId, db }: AppDb, now: number): Promise<void> {
  await sql`
    delete from group_password_attempts
    where (app_id, guid, uid) in (
      select app_id, guid, uid from group_password_attempts
      where app_id = ${appId} and until <= ${now} limit 100
      for update skip locked)`.execute(db)
}
