import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import type { Entry, EntryRow } from '../log/entries/index.ts'
import type { AppendAddition } from '../log/index.ts'
import { within } from './history/windows.sql.ts'
import type { Place } from './history/windows.ts'
import { asFound, type FoundRow, foundColumns, sides } from './stored/messages.sql.ts'

/** A reply is counted at its parent; one that is hidden is counted nowhere. */
export const replyCounts: AppendAddition = {
  name: 'reply_counts',
  field: 'parentSeq',
  insert: `
    insert into threads as t (bucket, conversation_key, seq, app_id, replies, last_reply_id)
    select bucket, key, parent_seq, app_id, count(*), max(id) from appended
    where parent_seq is not null and not coalesce(verdict ? 'sealed', false)
    group by bucket, key, parent_seq, app_id
    on conflict (bucket, conversation_key, seq) do update
      set replies = t.replies + excluded.replies, last_reply_id = excluded.last_reply_id`,
}

/** A reply is deleted: its parent has one less. */
export async function lowerReplies(
  { appId, db }: AppDb,
  { bucket, key, seq }: Pick<EntryRow, 'bucket' | 'key' | 'seq'>,
): Promise<void> {
  await sql`
    update threads t set replies = t.replies - 1
    from entries e
    where e.bucket = ${bucket} and e.conversation_key = ${key} and e.seq = ${seq}
      and t.bucket = ${bucket} and t.conversation_key = ${key} and t.seq = e.parent_seq
      and t.app_id = ${appId}`.execute(db)
}

/** Follows it, or follows it no more. False: nothing changed. */
export async function setSubscription(
  { appId, db }: AppDb,
  { bucket, key, seq }: EntryRow,
  uid: string,
  active: boolean,
): Promise<boolean> {
  const { rows } = await sql`
    insert into thread_subscriptions as s (bucket, conversation_key, seq, uid, active, app_id)
    values (${bucket}, ${key}, ${seq}, ${uid}, ${active}, ${appId})
    on conflict (bucket, conversation_key, seq, uid) do update set active = excluded.active
      where s.active <> excluded.active
    returning seq`.execute(db)
  return rows.length > 0
}

/** Who replies follows the thread; so does who began it, unless they have left it. */
export async function subscribeByReply(
  { appId, db }: AppDb,
  { bucket, key, seq, sender }: EntryRow,
  uid: string,
): Promise<void> {
  await sql`
    insert into thread_subscriptions as s (bucket, conversation_key, seq, uid, active, app_id)
    select ${bucket}, ${key}, ${seq}, uid, true, ${appId}
    from unnest(${[...new Set([uid, sender])].sort()}::text[]) as uid
    on conflict (bucket, conversation_key, seq, uid) do update set active = true
      where not s.active and s.uid = ${uid}`.execute(db)
}

/** Of a user who is deleted for ever. */
export async function deleteSubscriptions({ appId, db }: AppDb, uid: string): Promise<void> {
  await sql`
    delete from thread_subscriptions where app_id = ${appId} and uid = ${uid}`.execute(db)
}

export interface ThreadRow {
  readonly parent: Entry
  readonly replies: number
  /** Null where nobody looks. */
  readonly unread: number | null
  readonly lastReply: { readonly id: number; readonly sentAt: number }
}

interface ThreadColumns {
  readonly replies: number
  readonly unread: number | null
  readonly lastReplyId: number
  readonly lastReplyAt: number
}

const maxCounted = 1000

/** Those that a user follows, or all of the app; by their last replies. */
export async function listThreads(
  { appId, db }: AppDb,
  viewer: string | undefined,
  place: Place,
): Promise<ThreadRow[]> {
  const window = within(sql`t.last_reply_id`, place)
  const { rows } = await sql<FoundRow & ThreadColumns>`
    with t as materialized (
      select t.*, p.read_seq
      from ${viewer === undefined ? threadsOfApp(appId) : threadsOfUser(appId, viewer)}
        and t.replies > 0 and ${window.is} ${window.walk})
    select ${foundColumns}, t.replies, t.last_reply_id as "lastReplyId",
           r.sent_at as "lastReplyAt",
           case when t.read_seq is not null then (
             select count(*) from (
               select from entries u
               where u.bucket = t.bucket and u.conversation_key = t.conversation_key
                 and u.parent_seq = t.seq and u.seq > t.read_seq and u.deleted_at is null
                 and u.sender <> ${viewer ?? ''}
               limit ${maxCounted}) u) end as unread
    from t
    cross join lateral (
      select * from entries e
      where e.bucket = t.bucket and e.conversation_key = t.conversation_key and e.seq = t.seq
        and e.app_id = ${appId} limit 1) e
    cross join lateral (
      select r.sent_at from entries r
      where r.app_id = ${appId} and r.id = t.last_reply_id and r.bucket = t.bucket limit 1) r
    ${sides} ${window.walk}`.execute(db)
  return rows.map(({ replies, unread, lastReplyId, lastReplyAt, ...row }) => ({
    parent: asFound(row),
    replies,
    unread,
    lastReply: { id: lastReplyId, sentAt: lastReplyAt },
  }))
}

/** The limits keep each join a probe of an index. */
function threadsOfUser(appId: string, uid: string) {
  return sql`
    thread_subscriptions s
    cross join lateral (
      select * from threads t
      where t.bucket = s.bucket and t.conversation_key = s.conversation_key and t.seq = s.seq
      limit 1) t
    cross join lateral (
      select p.read_seq from participants p
      where p.bucket = s.bucket and p.conversation_key = s.conversation_key and p.uid = s.uid
        and p.reset_seq < s.seq limit 1) p
    where s.app_id = ${appId} and s.uid = ${uid} and s.active`
}

function threadsOfApp(appId: string) {
  return sql`
    threads t
    cross join lateral (
      select null::bigint as read_seq from conversations c
      where c.bucket = t.bucket and c.conversation_key = t.conversation_key limit 1) p
    where t.app_id = ${appId}`
}
