import { type RawBuilder, sql } from 'kysely'
import type { InstallDb } from '../../database/app-db.ts'

export interface AppUsageRow {
  readonly appId: string
  readonly name: string
  readonly messages: number
  readonly lastHour: number
  readonly activeUsers: number
  readonly peakOnline: number
  /** Days in which something was sent, by their first second. */
  readonly points: Readonly<Record<string, number>>
}

const day = 86_400

/** The busiest first. Days and five minutes are counted already: nothing is read of the log. */
export async function listAppUsage(
  { db }: InstallDb,
  range: { readonly from: number; readonly to: number; readonly now: number },
  limit: number,
): Promise<AppUsageRow[]> {
  const { from, to, now } = range
  const hourAgo = now - (now % 300) - 3300
  const { rows } = await sql<AppUsageRow>`
    with totals as (
      select app_id, sum(messages)::bigint as messages from stats_points
      where grain = ${day} and starts_at >= ${from} and starts_at < ${to}
      group by app_id
    )
    select a.app_id as "appId", a.name, a.messages,
           (select coalesce(jsonb_object_agg(d.starts_at, d.messages), '{}') from (
              select s.starts_at, sum(s.messages)::bigint as messages from stats_points s
              where s.app_id = a.app_id and s.grain = ${day} and s.starts_at >= ${from}
                and s.starts_at < ${to}
              group by s.starts_at) as d) as points,
           (select coalesce(sum(s.messages), 0)::bigint from stats_points s
            where s.app_id = a.app_id and s.grain = 300 and s.starts_at >= ${hourAgo}) as "lastHour",
           ${activeUsersOf(from / day, to / day)} as "activeUsers",
           (select coalesce(max(k.online), 0) from stats_peaks k
            where k.app_id = a.app_id and k.starts_at >= ${from} and k.starts_at < ${to})
             as "peakOnline"
    from (
      select a.app_id, a.name, coalesce(t.messages, 0)::bigint as messages
      from apps a left join totals t using (app_id)
      where a.archived_at is null
      order by messages desc, a.app_id limit ${limit}) a
    order by a.messages desc, a.app_id`.execute(db)
  return rows
}

/** One in so many users is looked at: those with the smallest hashes. */
const sampledIn = 64
const sampleBelow = (-(2n ** 63n) + 2n ** 64n / BigInt(sampledIn)).toString()
/** Of fewer than that the error is too large, and all are counted. */
const leastSample = 500

/**
 * Days by their number. To count a million users each time takes a second. Each day is a walk of the
 * primary key: without order and offset a plan may read the rows of all apps, once for each of them.
 */
function activeUsersOf(from: number, to: number) {
  const distinct = (those: RawBuilder<unknown>) => sql`
    (select count(distinct u.user_hash)
     from generate_series(${from}::bigint, ${to}::bigint - 1) as d(day)
     cross join lateral (
       select s.user_hash from stats_active_users s
       where s.app_id = a.app_id and s.day = d.day and ${those}
       order by s.user_hash offset 0) as u)`
  const sampled = sql`s.user_hash < ${sampleBelow}::bigint`
  return sql`
    (select case when n >= ${leastSample} then n * ${sampledIn} else ${distinct(sql`true`)} end::int
     from (select ${distinct(sampled)} as n) as sample)`
}
