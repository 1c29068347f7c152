import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import { bigints, smallints, texts } from '../../database/arrays.ts'
import { prepared, run } from '../../database/prepared.ts'

/** `sent`: the log of a conversation, of no user. */
type Kind = 'sent' | 'delivered' | 'read'

/** A log, and how far an event says that it goes. */
export interface Reached {
  readonly bucket: number
  readonly key: number
  readonly uid: string
  readonly kind: Kind
  readonly seq: number
}

/** What has not been counted before: so many of a kind by a user within five minutes. */
export interface Fresh {
  readonly kind: Kind
  readonly uid: string
  readonly startsAt: number
  readonly count: number
}

// Of each log the furthest that it reached.
const notYetCounted = prepared<Reached>(
  'stats-not-yet-counted',
  `select l.* from (
     select bucket, key, uid, kind, max(seq) as seq
     from unnest($1::smallint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[])
       as r(bucket, key, uid, kind, seq)
     group by bucket, key, uid, kind) l
   left join stats_offsets o on o.bucket = l.bucket and o.conversation_key = l.key
     and o.uid = l.uid and o.kind = l.kind and o.app_id = $6
   where o.seq is null or o.seq < l.seq`,
)

// Locks the row, whether it was there or not, and says what is in it.
const lockOffsets = prepared<Reached>(
  'stats-lock-offsets',
  `insert into stats_offsets as o (bucket, conversation_key, uid, kind, app_id, seq)
   select bucket, key, uid, kind, $5, 0
   from unnest($1::smallint[], $2::bigint[], $3::text[], $4::text[]) as l(bucket, key, uid, kind)
   order by bucket, key, uid, kind
   on conflict (bucket, conversation_key, uid, kind) do update set seq = o.seq
   returning bucket, conversation_key as key, uid, kind, seq`,
)

// The offsets keep the planner from reading all that the app has, which looks as cheap while tables
// are new: its plan is kept.
const takeRanges = prepared<Fresh>(
  'stats-take-ranges',
  `with range as (
     select bucket, key, uid, kind, w.seq as first, l.seq as last
     from unnest($1::smallint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[])
       as l(bucket, key, uid, kind, seq)
     join unnest($6::smallint[], $7::bigint[], $8::text[], $9::text[], $10::bigint[])
       as w(bucket, key, uid, kind, seq) using (bucket, key, uid, kind)
     where l.seq > w.seq),
   moved as (
     update stats_offsets o set seq = s.last from range s
     where o.bucket = s.bucket and o.conversation_key = s.key and o.uid = s.uid and o.kind = s.kind
       and o.app_id = $11),
   found as (
     select s.kind, e.sender as uid, e.sent_at as at from range s
     cross join lateral (
       select sender, sent_at, app_id, category, verdict from entries e
       where e.bucket = s.bucket and e.conversation_key = s.key and e.seq > s.first
         and e.seq <= s.last offset 0) e
     where s.kind = 'sent' and e.app_id = $11 and e.category <> 'action'
       and (e.verdict is null or not e.verdict ? 'withheld')
     union all
     select s.kind, s.uid, m.at from range s
     cross join lateral (
       select m.at, m.app_id from position_moves m
       where m.bucket = s.bucket and m.conversation_key = s.key and m.uid = s.uid
         and m.kind = s.kind and m.seq > s.first and m.seq <= s.last offset 0) m
     where s.kind <> 'sent' and m.app_id = $11)
   select kind, uid, at - at % 300 as "startsAt", count(*)::int as count
   from found group by kind, uid, at - at % 300`,
)

/**
 * Takes what lies between what was counted of each log and where it goes now. Whoever counts the same
 * log at the same time waits, and then finds nothing left. The log decides, not the event: it may come
 * twice, late, or before one that it follows. What comes again is most often counted, and writes nothing.
 */
export async function takeFresh(
  { appId, db }: AppDb,
  reached: readonly Reached[],
): Promise<Fresh[]> {
  const further = await run(db, notYetCounted, [...columnsOf(reached), appId])
  if (further.length === 0) return []
  const logs = columnsOf(further)
  const counted = await run(db, lockOffsets, [...logs.slice(0, -1), appId])
  return run(db, takeRanges, [...logs, ...columnsOf(counted), appId])
}

function columnsOf(logs: readonly Reached[]): Buffer[] {
  return [
    smallints(logs.map(({ bucket }) => bucket)),
    bigints(logs.map(({ key }) => key)),
    texts(logs.map(({ uid }) => uid)),
    texts(logs.map(({ kind }) => kind)),
    bigints(logs.map(({ seq }) => seq)),
  ]
}

export interface Point {
  readonly grain: number
  readonly startsAt: number
  readonly messages: number
  readonly deliveries: number
  readonly reads: number
}

const mergePoints = prepared<never>(
  'stats-merge-points',
  `insert into stats_points as p (app_id, grain, starts_at, part, messages, deliveries, reads)
   select $1, grain, starts_at, $2, messages, deliveries, reads
   from unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
     as f(grain, starts_at, messages, deliveries, reads)
   order by grain, starts_at
   on conflict (app_id, grain, starts_at, part) do update set
     messages = p.messages + excluded.messages, deliveries = p.deliveries + excluded.deliveries,
     reads = p.reads + excluded.reads`,
)

export async function addPoints(
  { appId, db }: AppDb,
  part: number,
  points: readonly Point[],
): Promise<void> {
  const column = (name: keyof Point) => bigints(points.map((point) => point[name]))
  const counts = [column('messages'), column('deliveries'), column('reads')]
  await run(db, mergePoints, [appId, part, column('grain'), column('startsAt'), ...counts])
}

export interface Active {
  readonly uid: string
  readonly at: number
}

const addActive = prepared<never>(
  'stats-add-active',
  `insert into stats_active_users (app_id, day, user_hash)
   select distinct $1, at / 86400, hashtextextended(uid, 0)
   from unnest($2::text[], $3::bigint[]) as a(uid, at)
   order by 2, 3
   on conflict do nothing`,
)

export async function noteActive({ appId, db }: AppDb, active: readonly Active[]): Promise<void> {
  await run(db, addActive, [
    appId,
    texts(active.map(({ uid }) => uid)),
    bigints(active.map(({ at }) => at)),
  ])
}

/** How many are online now. */
export async function notePeak({ appId, db }: AppDb, now: number): Promise<void> {
  await sql`
    insert into stats_peaks as p (app_id, starts_at, online)
    select ${appId}, ${now - (now % 300)}, count(*) from presence
    where app_id = ${appId} and online
    on conflict (app_id, starts_at) do update set online = greatest(p.online, excluded.online)`.execute(
    db,
  )
}
