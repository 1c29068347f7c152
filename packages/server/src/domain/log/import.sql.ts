import { sql } from 'kysely'
import { type AppDb, jsonb } from '../../database/app-db.ts'
import type { ConversationKey } from './entries/entries.ts'

/** Where a conversation stands while its head is locked. */
export interface Head extends ConversationKey {
  readonly head: number
  readonly counted: number
  readonly lastAt: number
}

/** Nothing else is appended to these until the end. In the order in which every append locks them. */
export async function lockHeads(
  { appId, db }: AppDb,
  keys: readonly number[],
): Promise<Map<number, Head>> {
  const { rows } = await sql<Head>`
    select bucket, conversation_key as key, head, counted, last_at as "lastAt"
    from conversations where conversation_key = any(${keys}::bigint[]) and app_id = ${appId}
    order by bucket, conversation_key for no key update`.execute(db)
  return new Map(rows.map((row) => [row.key, row]))
}

/** The id of the last entry of each of these, whose heads are locked, by key. */
export async function lastIdsOf(
  { appId, db }: AppDb,
  heads: readonly Head[],
): Promise<Map<number, number>> {
  const { rows } = await sql<{ key: number; id: number }>`
    select h.key, e.id
    from unnest(${heads.map(({ bucket }) => bucket)}::smallint[],
                ${heads.map(({ key }) => key)}::bigint[],
                ${heads.map(({ head }) => head)}::bigint[]) as h(bucket, key, seq)
    cross join lateral (
      select e.id from entries e
      where e.bucket = h.bucket and e.conversation_key = h.key and e.seq = h.seq
        and e.app_id = ${appId} limit 1) e`.execute(db)
  return new Map(rows.map(({ key, id }) => [key, id]))
}

/** Where an entry is, and what tells it from others. */
export interface Known extends ConversationKey {
  readonly seq: number
  readonly id: number
  readonly counted: number
  readonly at: number
  readonly sender: string
  readonly isReply: boolean
}

/** Those of the app that exist, by id. */
export async function findByIds(
  { appId, db }: AppDb,
  ids: readonly number[],
): Promise<Map<number, Known>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<Known>`
    select e.bucket, e.conversation_key as key, e.seq, e.id, e.counted, e.sent_at as at, e.sender,
           e.parent_seq is not null as "isReply"
    from entries e where e.app_id = ${appId} and e.id = any(${ids}::bigint[])`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

/** From here on, new ids are larger than this one. */
export async function reserveIds({ db }: AppDb, upTo: number): Promise<void> {
  await sql`select reserve_ids(${upTo})`.execute(db)
}

/** An entry that comes from elsewhere, in its place. */
export interface EntryFromElsewhere extends ConversationKey {
  readonly seq: number
  /** Undefined: it gets a new one. */
  readonly id: number | undefined
  readonly parentSeq: number | undefined
  /** It raises unread counts, for those who have not read as far. */
  readonly counts: boolean
  readonly updatedAt: number | undefined
  readonly editedAt: number | undefined
  readonly deletedAt: number | undefined
  /** Of the conversation, with it. */
  readonly counted: number
  readonly sentAt: number
  readonly sender: string
  readonly category: string
  readonly type: string
  readonly muid: string | undefined
  /** JSON text. */
  readonly data: string
  /** JSON text. */
  readonly extra: string
}

/** Their ids, in the same order. Heads are locked, and these come in the order of their places. */
export async function insertEntries(
  { appId, db }: AppDb,
  entries: readonly EntryFromElsewhere[],
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with placed as materialized (
      select e.*, coalesce(e.given_id, nextval('entry_numbers') * 64 + e.bucket) as id
      from jsonb_to_recordset(${jsonb(entries.map(columnsOf))}) as e(
        nth int, bucket smallint, key bigint, seq bigint, given_id bigint, counted bigint,
        counts boolean, parent_seq bigint, sent_at bigint, updated_at bigint, edited_at bigint,
        deleted_at bigint, sender text, category text, type text, muid text, data text, extra text)
    ), written as (
      insert into entries (bucket, conversation_key, seq, id, sent_at, counted, counts, parent_seq,
                           updated_at, edited_at, deleted_at, app_id, sender, category, type, muid,
                           data, extra)
      select bucket, key, seq, id, sent_at, counted, counts, parent_seq, updated_at, edited_at,
             deleted_at, ${appId}, sender, category, type, muid, data::json, extra::jsonb
      from placed order by nth)
    select id from placed order by nth`.execute(db)
  return rows.map(({ id }) => id)
}

function columnsOf(entry: EntryFromElsewhere, nth: number) {
  return {
    nth,
    bucket: entry.bucket,
    key: entry.key,
    seq: entry.seq,
    given_id: entry.id,
    counted: entry.counted,
    counts: entry.counts,
    parent_seq: entry.parentSeq,
    sent_at: entry.sentAt,
    updated_at: entry.updatedAt,
    edited_at: entry.editedAt,
    deleted_at: entry.deletedAt,
    sender: entry.sender,
    category: entry.category,
    type: entry.type,
    muid: entry.muid,
    data: entry.data,
    extra: entry.extra,
  }
}

/** Whoever reads the parents knows that it is worth asking for their replies. */
export async function markParents(
  { appId, db }: AppDb,
  replies: readonly EntryFromElsewhere[],
): Promise<void> {
  await sql`
    update entries e set extra = coalesce(e.extra, '{}') || '{"thread": true}'
    from unnest(${replies.map(({ bucket }) => bucket)}::smallint[],
                ${replies.map(({ key }) => key)}::bigint[],
                ${replies.map(({ parentSeq }) => parentSeq ?? null)}::bigint[])
      as r(bucket, key, parent_seq)
    where e.bucket = r.bucket and e.conversation_key = r.key and e.seq = r.parent_seq
      and e.app_id = ${appId} and e.extra -> 'thread' is null`.execute(db)
}

/** Their senders have said as many more that count as unread for others. */
export async function raiseOwn(
  { appId, db }: AppDb,
  entries: readonly EntryFromElsewhere[],
): Promise<void> {
  await sql`
    update participants p set own = p.own + s.n
    from (
      select e.key, e.sender, count(*) as n
      from unnest(${entries.map(({ key }) => key)}::bigint[],
                  ${entries.map(({ sender }) => sender)}::text[]) as e(key, sender)
      group by e.key, e.sender) s
    where p.conversation_key = s.key and p.uid = s.sender and p.app_id = ${appId}`.execute(db)
}

/** How far a conversation has come with entries from elsewhere. */
export interface Growth extends ConversationKey {
  readonly before: number
  readonly head: number
  readonly counted: number
  /** The last that lists show, and when it was said. */
  readonly shown: { readonly seq: number; readonly at: number } | undefined
  readonly lastAt: number
  readonly lastId: number
}

/** Moves the heads, and leaves a receipt by which the entries are published. */
export async function moveHeads(
  { appId, db }: AppDb,
  growths: readonly Growth[],
  now: number,
): Promise<number> {
  const buckets = growths.map(({ bucket }) => bucket)
  const keys = growths.map(({ key }) => key)
  await sql`
    update conversations c
    set head = g.head, counted = g.counted, last_at = g.last_at,
        shown_seq = coalesce(g.shown_seq, c.shown_seq),
        updated_at = coalesce(g.shown_at, c.updated_at)
    from unnest(${buckets}::smallint[], ${keys}::bigint[],
                ${growths.map(({ head }) => head)}::bigint[],
                ${growths.map(({ counted }) => counted)}::bigint[],
                ${growths.map(({ lastAt }) => lastAt)}::bigint[],
                ${growths.map(({ shown }) => shown?.seq ?? null)}::bigint[],
                ${growths.map(({ shown }) => shown?.at ?? null)}::bigint[])
      as g(bucket, key, head, counted, last_at, shown_seq, shown_at)
    where c.bucket = g.bucket and c.conversation_key = g.key and c.app_id = ${appId}`.execute(db)
  const { rows } = await sql<{ receipt: number }>`
    select record_appends(${now}, ${buckets}::smallint[], ${keys}::bigint[],
      ${growths.map(({ before }) => before)}::bigint[],
      ${growths.map(({ before, head }) => head - before)}::bigint[]) as receipt`.execute(db)
  const [written] = rows
  if (!written) throw new Error('A batch of entries has no receipt.')
  return written.receipt
}

export interface Pair {
  readonly low: string
  readonly high: string
}

/** Conversations that these pairs of users have, by `low high`: a uid has no blank. */
export async function findUserConversations(
  { appId, db }: AppDb,
  pairs: readonly Pair[],
): Promise<Map<string, ConversationKey>> {
  if (pairs.length === 0) return new Map()
  const { rows } = await sql<ConversationKey & Pair>`
    select c.low_uid as low, c.high_uid as high, c.bucket, c.conversation_key as key
    from unnest(${pairs.map(({ low }) => low)}::text[], ${pairs.map(({ high }) => high)}::text[])
      as p(low, high)
    join user_conversations c
      on c.app_id = ${appId} and c.low_uid = p.low and c.high_uid = p.high`.execute(db)
  return new Map(rows.map(({ low, high, bucket, key }) => [`${low} ${high}`, { bucket, key }]))
}
