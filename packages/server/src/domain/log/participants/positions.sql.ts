import { sql } from 'kysely'
import type { AppDb } from '../../../database/app-db.ts'
import type { ConversationKey } from '../entries/entries.ts'

/** An entry as a place to move to. */
export interface Mark {
  readonly seq: number
  readonly counted: number
}

/** What a reset hides cannot be marked. */
export async function findMark(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  id: number,
  resetSeq: number,
): Promise<Mark | undefined> {
  const { rows } = await sql<Mark>`
    select seq, counted from entries
    where bucket = ${bucket} and id = ${id} and conversation_key = ${key} and app_id = ${appId}
      and seq > ${resetSeq}
  `.execute(db)
  return rows[0]
}

export async function findHead(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
): Promise<Mark> {
  const { rows } = await sql<Mark>`
    select head as seq, counted from conversations
    where bucket = ${bucket} and conversation_key = ${key} and app_id = ${appId}`.execute(db)
  return rows[0] ?? { seq: 0, counted: 0 }
}

export interface Position {
  readonly deliveredSeq: number
  readonly readSeq: number
  readonly resetSeq: number
}

/**
 * Locks the participant. From here to the end of the transaction no entry of theirs can be added,
 * so that what is counted after is what their own-count says.
 */
export async function lockPosition(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  uid: string,
): Promise<Position | undefined> {
  const { rows } = await sql<Position>`
    select delivered_seq as "deliveredSeq", read_seq as "readSeq", reset_seq as "resetSeq"
    from participants
    where bucket = ${bucket} and conversation_key = ${key} and uid = ${uid} and app_id = ${appId}
    for no key update`.execute(db)
  return rows[0]
}

/** Sets how far was read; own entries behind it are counted, so that they stay out of unread. */
export async function setRead(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  uid: string,
  to: Mark,
): Promise<void> {
  await sql`
    update participants p
    set read_seq = ${to.seq}, read_counted = ${to.counted},
        delivered_seq = greatest(p.delivered_seq, ${to.seq}),
        read_own = p.own - (
          select count(*) from entries e
          where e.bucket = ${bucket} and e.conversation_key = ${key} and e.seq > ${to.seq}
            and e.sender = ${uid} and e.counts)
    where p.bucket = ${bucket} and p.conversation_key = ${key} and p.uid = ${uid}
      and p.app_id = ${appId}`.execute(db)
}

export async function setDelivered(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  uid: string,
  to: Mark,
): Promise<void> {
  await sql`
    update participants set delivered_seq = ${to.seq}
    where bucket = ${bucket} and conversation_key = ${key} and uid = ${uid} and app_id = ${appId}
  `.execute(db)
}

interface Move {
  readonly seq: number
  readonly at: number
}

interface Mover {
  readonly uid: string
  readonly kind: 'delivered' | 'read'
}

/**
 * Delivered or read up to here, at this time; in the order of the places. Who marked messages unread and
 * reads them again had read them before: the first move stays the answer.
 */
export async function recordMoves(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  { uid, kind }: Mover,
  moves: readonly Move[],
): Promise<void> {
  await sql`
    insert into position_moves (bucket, conversation_key, uid, kind, seq, at, app_id)
    select ${bucket}, ${key}, ${uid}, ${kind}, w.seq, w.at, ${appId}
    from unnest(${moves.map(({ seq }) => seq)}::bigint[], ${moves.map(({ at }) => at)}::bigint[])
      as w(seq, at)
    where not exists (
      select from position_moves m
      where m.bucket = ${bucket} and m.conversation_key = ${key} and m.uid = ${uid}
        and m.kind = ${kind} and m.seq >= w.seq)`.execute(db)
}
