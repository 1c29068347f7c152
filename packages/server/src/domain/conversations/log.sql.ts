import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import { bigints, bools, ints, smallints, texts } from '../../database/arrays.ts'
import { bucketOfNew } from '../../database/buckets.ts'
import type { Db } from '../../database/db.ts'
import { type HotStatement, hot, run } from '../../database/hot.ts'
import type { ConversationKey, EntryRow } from './entries.ts'

/** An entry before it has its place. */
export interface NewEntry extends ConversationKey {
  readonly appId: string
  readonly sender: string
  readonly muid?: string | undefined
  readonly category: string
  readonly type: string
  /** JSON text. */
  readonly data: string
  /** JSON text of what stands beside the data. */
  readonly extra?: string | undefined
  readonly parentSeq?: number | undefined
  /** Raises unread counts. */
  readonly counts: boolean
  /** Becomes the last message that lists show. */
  readonly shows: boolean
  /** JSON text, where a rule has caught it. */
  readonly verdict?: string | undefined
  /** By how many the participants grow with it. */
  readonly joins?: number | undefined
}

export interface Placed {
  readonly seq: number
  readonly id: number
  readonly counted: number
  readonly at: number
  /** The row that says this batch is still to be published; none for an entry found by its muid. */
  readonly receipt?: number
}

/** Rows that another module inserts in the statement that appends; a batch without any pays nothing. */
export interface AppendAddition {
  /** Names it within the statement. */
  readonly name: string
  /** Whether there may be a row for this entry. */
  readonly appliesTo: (entry: NewEntry) => boolean
  /** Selects from `appended`: bucket, key, seq, id, app_id, sender, parent_seq, verdict, nth. */
  readonly insert: string
}

const call = `append_entries($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12,
  $13, $14, $15, $16, $17, $18, $19, $20)`

const append = hot<Placed>('append', `select seq, id, counted, at, receipt from ${call}`)

function appendWith(additions: readonly AppendAddition[]): HotStatement<Placed> {
  const name = ['append', ...additions.map((addition) => addition.name)].join(' ')
  return hot<Placed>(
    name,
    `with appended as materialized (
       select ($2::smallint[])[e.conversation] as bucket, ($3::bigint[])[e.conversation] as key,
              a.seq, a.id, a.counted, a.at, a.receipt, e.app_id, e.sender, e.parent_seq,
              e.verdict::jsonb as verdict, nth
       from ${call} with ordinality as a(seq, id, counted, at, receipt, nth)
       join unnest($8::int[], $11::text[], $12::text[], $18::bigint[], $20::text[]) with ordinality
         as e(conversation, app_id, sender, parent_seq, verdict, nth) using (nth)),
     ${additions.map((addition) => `${addition.name} as (${addition.insert})`).join(',\n')}
     select seq, id, counted, at, receipt from appended order by nth`,
  )
}

/** Appends in one statement, all or nothing; results in the order of the entries. */
export async function appendEntries(
  db: Db,
  entries: readonly NewEntry[],
  now: number,
  additions: readonly AppendAddition[] = [],
): Promise<Placed[]> {
  const needed = additions.filter(({ appliesTo }) => entries.some(appliesTo))
  const statement = needed.length > 0 ? appendWith(needed) : append
  return run(db, statement, [now, ...appendArguments(entries)])
}

interface Growth extends ConversationKey {
  entries: number
  counted: number
  joins: number
  shown: number | null
  /** Among the conversations of the batch, counted from 1. */
  place: number
}

/** The columns of a batch: first its conversations in key order, then its entries. */
function appendArguments(entries: readonly NewEntry[]): (Buffer | null)[] {
  const growths = new Map<string, Growth>()
  const placed = entries.map((entry) => {
    const { bucket, key, joins = 0 } = entry
    const name = `${bucket}/${key}`
    const growth = growths.get(name) ?? {
      bucket,
      key,
      entries: 0,
      counted: 0,
      joins: 0,
      shown: null,
      place: 0,
    }
    growths.set(name, growth)
    growth.entries++
    growth.joins += joins
    if (entry.counts) growth.counted++
    if (entry.shows) growth.shown = growth.entries
    return { entry, growth, nth: growth.entries, nthCounted: growth.counted }
  })
  const inOrder = [...growths.values()].sort((a, b) => a.bucket - b.bucket || a.key - b.key)
  for (const [place, growth] of inOrder.entries()) growth.place = place + 1
  return [
    smallints(inOrder.map(({ bucket }) => bucket)),
    bigints(inOrder.map(({ key }) => key)),
    bigints(inOrder.map((growth) => growth.entries)),
    bigints(inOrder.map(({ counted }) => counted)),
    bigints(inOrder.map(({ joins }) => joins)),
    bigints(inOrder.map(({ shown }) => shown)),
    ints(placed.map(({ growth }) => growth.place)),
    bigints(placed.map(({ nth }) => nth)),
    bigints(placed.map(({ nthCounted }) => nthCounted)),
    texts(entries.map(({ appId }) => appId)),
    texts(entries.map(({ sender }) => sender)),
    texts(entries.map(({ muid }) => muid ?? null)),
    texts(entries.map(({ category }) => category)),
    texts(entries.map(({ type }) => type)),
    texts(entries.map(({ data }) => data)),
    texts(entries.map(({ extra }) => extra ?? null)),
    bigints(entries.map(({ parentSeq }) => parentSeq ?? null)),
    bools(entries.map(({ counts }) => counts)),
    // Hardly ever: no batch pays for it that has none.
    entries.some(({ verdict }) => verdict !== undefined)
      ? texts(entries.map(({ verdict }) => verdict ?? null))
      : null,
  ]
}

/** The stored entry of a place. */
export async function findEntry(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  seq: number,
): Promise<EntryRow | undefined> {
  const { rows } = await sql<EntryRow>`
    select ${entryColumns} from entries e
    where e.bucket = ${bucket} and e.conversation_key = ${key} and e.seq = ${seq}
      and e.app_id = ${appId}`.execute(db)
  return rows[0]
}

/** Needs the table `e`. */
export const entryColumns = sql.raw(`
  e.bucket, e.conversation_key as key, e.seq, e.id, e.sender, e.category, e.type, e.muid,
  e.data::text as data, e.extra, e.sent_at as "sentAt",
  coalesce(e.updated_at, e.sent_at) as "updatedAt", e.edited_at as "editedAt",
  e.deleted_at as "deletedAt", e.verdict`)

export interface Muid extends ConversationKey {
  readonly sender: string
  readonly muid: string
}

/** Of these, the entries that are stored already, by `muidName`. */
export async function findByMuid(db: Db, wanted: readonly Muid[]): Promise<Map<string, Placed>> {
  const { rows } = await sql<Muid & Placed>`
    select * from find_muids(${wanted.map(({ bucket }) => bucket)}::smallint[],
                             ${wanted.map(({ key }) => key)}::bigint[],
                             ${wanted.map(({ sender }) => sender)}::text[],
                             ${wanted.map(({ muid }) => muid)}::text[])`.execute(db)
  return new Map(
    rows.map((row) => [
      muidName(row),
      { seq: row.seq, id: row.id, counted: row.counted, at: row.at },
    ]),
  )
}

export function muidName({ bucket, key, sender, muid }: Muid): string {
  return `${bucket}/${key}/${sender}/${muid}`
}

/** A fresh conversation, empty. */
export async function insertConversation(
  { appId, db }: AppDb,
  now: number,
): Promise<ConversationKey> {
  const { rows } = await sql<ConversationKey>`
    with fresh as materialized (select nextval('conversation_keys') as key)
    insert into conversations (bucket, conversation_key, app_id, created_at, updated_at)
    select ${bucketOfNew(appId)}, key, ${appId}, ${now}, ${now} from fresh
    returning bucket, conversation_key as key`.execute(db)
  const [made] = rows
  if (!made) throw new Error('No conversation was made.')
  return made
}

export async function findUserConversation(
  { appId, db }: AppDb,
  a: string,
  b: string,
): Promise<ConversationKey | undefined> {
  const [low, high] = a < b ? [a, b] : [b, a]
  const { rows } = await sql<ConversationKey>`
    select bucket, conversation_key as key from user_conversations
    where app_id = ${appId} and low_uid = ${low} and high_uid = ${high}`.execute(db)
  return rows[0]
}

/** The conversation of two users, made with both participants if they had none. */
export async function ensureUserConversation(
  appDb: AppDb,
  a: string,
  b: string,
  now: number,
): Promise<ConversationKey & { readonly made: boolean }> {
  const { appId, db } = appDb
  const [low, high] = a < b ? [a, b] : [b, a]
  const known = await findUserConversation(appDb, a, b)
  if (known) return { ...known, made: false }
  // Whoever loses the race waits here for the winner, and finds its row below.
  const { rows } = await sql<ConversationKey>`
    with fresh as materialized (select nextval('conversation_keys') as key),
    pair as (
      insert into user_conversations (app_id, low_uid, high_uid, bucket, conversation_key)
      select ${appId}, ${low}, ${high}, ${bucketOfNew(appId)}, key from fresh
      on conflict (app_id, low_uid, high_uid) do nothing
      returning bucket, conversation_key as key),
    conversation as (
      insert into conversations
        (bucket, conversation_key, app_id, participants_count, created_at, updated_at)
      select bucket, key, ${appId}, 2, ${now}, ${now} from pair),
    sides as (
      insert into participants (bucket, conversation_key, uid, app_id, with_uid)
      select bucket, key, side.uid, ${appId}, side.with_uid
      from pair, lateral (values (${low}, ${high}), (${high}, ${low})) as side(uid, with_uid))
    select * from pair`.execute(db)
  if (rows[0]) return { ...rows[0], made: true }
  const other = await findUserConversation(appDb, a, b)
  if (!other) throw new Error('No conversation was made.')
  return { ...other, made: false }
}

/** New participants have seen everything so far. Returns how many there are now. */
export async function insertParticipants(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  guid: string,
  uids: readonly string[],
  /** They see what was said after this seq. */
  hiddenTo = 0,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with made as (
      insert into participants (bucket, conversation_key, uid, app_id, with_guid,
                                delivered_seq, read_seq, read_counted, reset_seq)
      select c.bucket, c.conversation_key, uid, ${appId}, ${guid}, c.head, c.head, c.counted,
             ${hiddenTo}
      from conversations c, unnest(${uids}::text[]) as uid
      where c.bucket = ${bucket} and c.conversation_key = ${key} and c.app_id = ${appId}
      order by uid)
    select participants_count as count from conversations
    where bucket = ${bucket} and conversation_key = ${key} and app_id = ${appId}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Someone who comes without an entry of their own: the founder of a group. */
export async function adjustParticipants(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  by: number,
): Promise<void> {
  await sql`
    update conversations set participants_count = participants_count + ${by}
    where bucket = ${bucket} and conversation_key = ${key} and app_id = ${appId}`.execute(db)
}

export async function deleteParticipants(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  uids: readonly string[] | 'all',
): Promise<void> {
  const whose = uids === 'all' ? sql`true` : sql`uid = any(${uids})`
  await sql`
    delete from participants
    where bucket = ${bucket} and conversation_key = ${key} and app_id = ${appId} and ${whose}
  `.execute(db)
}

/** The head goes at once; the entries have no way to be read any more and are erased later. */
export async function deleteConversation({ appId, db }: AppDb, { bucket, key }: ConversationKey) {
  await sql`
    delete from conversations
    where bucket = ${bucket} and conversation_key = ${key} and app_id = ${appId}`.execute(db)
}

/** A step of erasing a conversation that is gone: its oldest entries. True: there may be more. */
export async function eraseEntries(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  most: number,
): Promise<boolean> {
  const here = sql`bucket = ${bucket} and conversation_key = ${key} and app_id = ${appId}`
  const entries = await sql`
    delete from entries where ${here} and seq <= (
      select max(seq) from (select seq from entries where ${here} order by seq limit ${most}) e)
  `.execute(db)
  const moves = await sql`
    delete from position_moves where ${here} and (uid, kind, seq) in (
      select uid, kind, seq from position_moves where ${here} limit ${most})`.execute(db)
  return [entries, moves].some(({ numAffectedRows = 0n }) => Number(numAffectedRows) === most)
}
