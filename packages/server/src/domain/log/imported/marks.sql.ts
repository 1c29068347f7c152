import { sql } from 'kysely'
import type { AppDb } from '../../../database/app-db.ts'
import type { Mark } from '../participants/index.ts'
import type { ParticipantKey } from './participant-keys.sql.ts'

export interface Marked extends Mark {
  /** Of whom in the list, from 1. */
  readonly nth: number
}

/** The entries with these ids, each in its conversation; without those that are not there. */
export async function findMarks(
  { appId, db }: AppDb,
  asked: readonly (ParticipantKey & { readonly id: number })[],
): Promise<Marked[]> {
  const { rows } = await sql<Marked>`
    select a.nth, e.seq, e.counted
    from unnest(${asked.map(({ bucket }) => bucket)}::smallint[],
        ${asked.map(({ key }) => key)}::bigint[], ${asked.map(({ id }) => id)}::bigint[])
      with ordinality as a(bucket, key, id, nth)
    join entries e on e.bucket = a.bucket and e.id = a.id and e.conversation_key = a.key
      and e.app_id = ${appId}`.execute(db)
  return rows
}

/** The place behind which each of them has so many unread entries, or all that there are. */
export async function findUnreadMarks(
  { appId, db }: AppDb,
  asked: readonly (ParticipantKey & { readonly unread: number })[],
): Promise<Marked[]> {
  const { rows } = await sql<Marked>`
    select a.nth, case when a.unread = 0 then c.head else coalesce(e.seq, 0) end as seq,
           case when a.unread = 0 then c.counted else coalesce(e.counted, 0) end as counted
    from unnest(${asked.map(({ bucket }) => bucket)}::smallint[],
        ${asked.map(({ key }) => key)}::bigint[], ${asked.map(({ uid }) => uid)}::text[],
        ${asked.map(({ unread }) => unread)}::bigint[])
      with ordinality as a(bucket, key, uid, unread, nth)
    join conversations c on c.bucket = a.bucket and c.conversation_key = a.key
      and c.app_id = ${appId}
    left join lateral (
      select e.seq - 1 as seq, e.counted - 1 as counted from entries e
      where a.unread > 0 and e.bucket = a.bucket and e.conversation_key = a.key
        and e.app_id = ${appId} and e.counts and e.deleted_at is null and e.sender <> a.uid
      order by e.seq desc offset greatest(a.unread - 1, 0) limit 1) e on true`.execute(db)
  return rows
}

/** As `setRead`, for several who are locked: a position from elsewhere may lie before the one here. */
export async function setReads(
  { appId, db }: AppDb,
  to: readonly (ParticipantKey & Mark)[],
): Promise<void> {
  await sql`
    update participants p
    set read_seq = t.seq, read_counted = t.counted,
        delivered_seq = greatest(p.delivered_seq, t.seq),
        read_own = p.own - (
          select count(*) from entries e
          where e.bucket = p.bucket and e.conversation_key = p.conversation_key
            and e.seq > t.seq and e.sender = p.uid and e.counts)
    from unnest(${to.map(({ bucket }) => bucket)}::smallint[],
        ${to.map(({ key }) => key)}::bigint[], ${to.map(({ uid }) => uid)}::text[],
        ${to.map(({ seq }) => seq)}::bigint[], ${to.map(({ counted }) => counted)}::bigint[])
      as t(bucket, key, uid, seq, counted)
    where p.bucket = t.bucket and p.conversation_key = t.key and p.uid = t.uid
      and p.app_id = ${appId}`.execute(db)
}
