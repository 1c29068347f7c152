import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
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

/** An entry that comes from elsewhere, in its place. */
export interface EntryFromElsewhere extends ConversationKey {
  readonly seq: number
  /** Of the conversation, with it. */
  readonly counted: number
  readonly sentAt: number
  readonly sender: string
  readonly category: string
  readonly type: string
  readonly muid: string
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
      select e.*, nextval('entry_numbers') * 64 + e.bucket as id
      from unnest(
        ${entries.map(({ bucket }) => bucket)}::smallint[],
        ${entries.map(({ key }) => key)}::bigint[], ${entries.map(({ seq }) => seq)}::bigint[],
        ${entries.map(({ counted }) => counted)}::bigint[],
        ${entries.map(({ sentAt }) => sentAt)}::bigint[],
        ${entries.map(({ sender }) => sender)}::text[],
        ${entries.map(({ category }) => category)}::text[],
        ${entries.map(({ type }) => type)}::text[], ${entries.map(({ muid }) => muid)}::text[],
        ${entries.map(({ data }) => data)}::text[], ${entries.map(({ extra }) => extra)}::text[])
        with ordinality
        as e(bucket, key, seq, counted, sent_at, sender, category, type, muid, data, extra, nth)
    ), written as (
      insert into entries (bucket, conversation_key, seq, id, sent_at, counted, counts, app_id,
                           sender, category, type, muid, data, extra)
      select bucket, key, seq, id, sent_at, counted, false, ${appId}, sender, category, type, muid,
             data::json, extra::jsonb
      from placed)
    select id from placed order by nth`.execute(db)
  return rows.map(({ id }) => id)
}

/** How far a conversation has come with entries from elsewhere, all of which lists may show. */
export interface Growth extends ConversationKey {
  readonly before: number
  readonly head: number
  readonly lastAt: number
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
    set head = g.head, shown_seq = g.head, last_at = g.last_at, updated_at = g.last_at
    from unnest(${buckets}::smallint[], ${keys}::bigint[],
                ${growths.map(({ head }) => head)}::bigint[],
                ${growths.map(({ lastAt }) => lastAt)}::bigint[]) as g(bucket, key, head, last_at)
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
