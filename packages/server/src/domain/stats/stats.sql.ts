import { sql } from 'kysely'
import type { AppDb, InstallDb } from '../../database/app-db.ts'

export interface Range {
  /** Seconds; the end is not within. */
  readonly from: number
  readonly to: number
}

export interface Counts {
  readonly startsAt: number
  readonly messages: number
  readonly deliveries: number
  readonly reads: number
}

/** Those in which something happened. */
export async function findPoints(
  { appId, db }: AppDb,
  grain: number,
  { from, to }: Range,
): Promise<Counts[]> {
  const { rows } = await sql<Counts>`
    select starts_at as "startsAt", sum(messages)::bigint as messages,
      sum(deliveries)::bigint as deliveries, sum(reads)::bigint as reads
    from stats_points
    where app_id = ${appId} and grain = ${grain} and starts_at >= ${from} and starts_at < ${to}
    group by starts_at`.execute(db)
  return rows
}

/** Days are whole. */
export async function countActiveUsers({ appId, db }: AppDb, { from, to }: Range): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct user_hash)::int as count from stats_active_users
    where app_id = ${appId} and day >= ${from}::bigint / 86400
      and day <= (${to}::bigint - 1) / 86400`.execute(db)
  return rows[0]?.count ?? 0
}

export async function findPeak({ appId, db }: AppDb, { from, to }: Range): Promise<number> {
  const { rows } = await sql<{ online: number }>`
    select coalesce(max(online), 0) as online from stats_peaks
    where app_id = ${appId} and starts_at >= ${from}::bigint - ${from}::bigint % 300
      and starts_at < ${to}`.execute(db)
  return rows[0]?.online ?? 0
}

const fiveMinutesDays = 90
const longDays = 730
const maxAtOnce = 1000

/** Five minutes stay for 90 days; hours, who was there and how many at once for two years. */
export async function deleteOldStats({ db }: InstallDb, now: number): Promise<boolean> {
  const before = (days: number) => now - days * 86_400
  const old = [
    sql`delete from stats_points where (app_id, grain, starts_at, part) in (
      select app_id, grain, starts_at, part from stats_points
      where grain = 300 and starts_at < ${before(fiveMinutesDays)} limit ${maxAtOnce})`,
    sql`delete from stats_points where (app_id, grain, starts_at, part) in (
      select app_id, grain, starts_at, part from stats_points
      where grain = 3600 and starts_at < ${before(longDays)} limit ${maxAtOnce})`,
    sql`delete from stats_active_users where (app_id, day, user_hash) in (
      select app_id, day, user_hash from stats_active_users
      where day < ${before(longDays)} / 86400 limit ${maxAtOnce})`,
    sql`delete from stats_peaks where (app_id, starts_at) in (
      select app_id, starts_at from stats_peaks
      where starts_at < ${before(longDays)} limit ${maxAtOnce})`,
  ]
  let more = false
  for (const statement of old) {
    const { numAffectedRows } = await statement.execute(db)
    more ||= numAffectedRows === BigInt(maxAtOnce)
  }
  return more
}
