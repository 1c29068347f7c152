import { sql } from 'kysely'
import { type AppDb, jsonb } from '../../../database/app-db.ts'
import { bigints } from '../../../database/arrays.ts'
import type { ConversationKey, Extra } from '../entries/entries.ts'

/** Entries of a conversation behind one, as far as they are older than a time. */
export interface Beginning {
  readonly after: number
  readonly before: number
  readonly most: number
}

export interface OldEntry {
  readonly seq: number
  readonly id: number
  readonly sender: string
  readonly parentSeq: number | null
  readonly deletedAt: number | null
  /** Nothing of what it said is left. */
  readonly isEmpty: boolean
}

/** In their order. Holds the conversation: nothing in it changes until the end. */
export async function readBeginning(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  { after, before, most }: Beginning,
): Promise<OldEntry[]> {
  await sql`
    select from conversations where bucket = ${bucket} and conversation_key = ${key}
    for no key update`.execute(db)
  const { rows } = await sql<OldEntry>`
    select e.seq, e.id, e.sender, e.parent_seq as "parentSeq", e.deleted_at as "deletedAt",
           e.erased and e.verdict is null and e.muid is null as "isEmpty"
    from entries e
    where e.bucket = ${bucket} and e.conversation_key = ${key} and e.app_id = ${appId}
      and e.seq > ${after} and e.seq <= ${after + most} and e.sent_at < ${before}
    order by e.seq`.execute(db)
  return rows
}

export interface Emptied {
  readonly seq: number
  readonly id: number
  readonly change: number
}

/** Nothing of what they said is left; who said something, and when, stays: unread counts need it. */
export async function emptyEntries(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  seqs: readonly number[],
  extra: Extra,
  now: number,
): Promise<Emptied[]> {
  const { rows } = await sql<Emptied>`
    with moved as (
      update conversations set change = change + ${seqs.length}::bigint
      where bucket = ${bucket} and conversation_key = ${key}
      returning change - ${seqs.length}::bigint as change)
    update entries e
    set muid = null, data = '{}', extra = ${jsonb(extra)}, verdict = null, erased = true,
        deleted_at = coalesce(e.deleted_at, ${now}), updated_at = ${now},
        change = moved.change + s.nth
    from moved, unnest(${bigints(seqs)}::bigint[]) with ordinality as s(seq, nth)
    where e.bucket = ${bucket} and e.conversation_key = ${key} and e.seq = s.seq
      and e.app_id = ${appId}
    returning e.seq, e.id, e.change`.execute(db)
  return rows
}

/** When cursors moved over entries up to this one; nobody asks any more. */
export async function deleteMoves(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  upTo: number,
): Promise<void> {
  await sql`
    delete from position_moves
    where bucket = ${bucket} and conversation_key = ${key} and app_id = ${appId}
      and seq <= ${upTo}`.execute(db)
}
