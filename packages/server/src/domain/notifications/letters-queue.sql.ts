import { sql } from 'kysely'
import { type AppDb, jsonb } from '../../database/app-db.ts'
import type { Db } from '../../database/db.ts'
import { type ConversationKey, type EntryRow, entryColumns } from '../conversations/index.ts'
import type { LetterChannel } from './letters.sql.ts'

/** One letter to one user, about what came in one conversation. */
export interface LetterJob extends ConversationKey {
  readonly appId: string
  readonly deliveryId: number
  readonly uid: string
  readonly channel: LetterChannel
  readonly attempt: number
  /** When it was tried for the first time. */
  readonly startedAtMs: number
  readonly fromSeq: number
  readonly toSeq: number
  readonly name: string
  readonly email: string | null
  readonly phno: string | null
}

/** Those that are due, for as long as the lease. From now on they take in no more messages. */
export async function claimLetters(
  db: Db,
  nowMs: number,
  leaseMs: number,
  most: number,
): Promise<LetterJob[]> {
  const { rows } = await sql<LetterJob>`
    with due as (
      select app_id, delivery_id, uid from notification_deliveries
      where status = 'waiting' and channel <> 'push' and next_at_ms <= ${nowMs}
      order by next_at_ms limit ${most} for update skip locked)
    update notification_deliveries d
    set attempt = d.attempt + 1, next_at_ms = ${nowMs + leaseMs},
        started_at_ms = coalesce(d.started_at_ms, ${nowMs})
    from due
    join users u on u.app_id = due.app_id and u.uid = due.uid
    left join contact_details k on k.app_id = due.app_id and k.uid = due.uid
    where d.app_id = due.app_id and d.delivery_id = due.delivery_id
    returning d.app_id as "appId", d.delivery_id as "deliveryId", d.uid, d.channel, d.attempt,
      d.started_at_ms as "startedAtMs", (d.payload ->> 'bucket')::smallint as bucket,
      d.conversation_key as key, d.from_seq as "fromSeq", d.to_seq as "toSeq", u.name, k.email,
      k.phno`.execute(db)
  return rows
}

/** What became of an attempt. `waiting`: there will be another. */
export interface LetterResult {
  readonly status: 'waiting' | 'sent' | 'failed' | 'withheld'
  readonly nextAtMs: number
  readonly reason?: string
  readonly provider?: string
  /** What was sent and what came back, where the app keeps a log. */
  readonly payload?: object
  readonly response?: object
}

/** Counts only if nobody else has taken the letter since. */
export async function recordLetter(
  db: Db,
  { appId, deliveryId, attempt }: LetterJob,
  { status, nextAtMs, reason, provider, payload, response }: LetterResult,
  nowMs: number,
): Promise<void> {
  const goesOn = status === 'waiting'
  await sql`
    update notification_deliveries
    set status = ${status}, next_at_ms = ${nextAtMs}, reason = ${reason ?? null},
        provider = ${provider ?? null}, response = ${response ? jsonb(response) : null},
        payload = ${goesOn ? sql`payload` : payload ? jsonb(payload) : null},
        ended_at_ms = ${goesOn ? null : nowMs}
    where app_id = ${appId} and delivery_id = ${deliveryId} and attempt = ${attempt}
      and status = 'waiting'`.execute(db)
}

/** How many letters have gone to the user since, and how many of them about this conversation. */
export async function countLetters(
  db: Db,
  { appId, uid, channel, key }: LetterJob,
  sinceMs: number,
): Promise<{ readonly all: number; readonly here: number }> {
  const { rows } = await sql<{ all: number; here: number }>`
    select count(*)::int as "all",
      count(*) filter (where conversation_key = ${key})::int as here
    from notification_deliveries
    where app_id = ${appId} and uid = ${uid} and channel = ${channel} and channel <> 'push'
      and status = 'sent' and ended_at_ms > ${sinceMs}`.execute(db)
  return rows[0] ?? { all: 0, here: 0 }
}

/** A message of somebody else, and whether one of the two has blocked the other. */
export type AnnouncedRow = EntryRow & { readonly blocked: boolean }

/** What a letter speaks of and is still to be seen: the newest, in the order of the conversation. */
export async function findAnnounced(
  { appId, db }: AppDb,
  { bucket, key, uid, fromSeq, toSeq }: LetterJob,
  most: number,
): Promise<AnnouncedRow[]> {
  const { rows } = await sql<AnnouncedRow>`
    select ${entryColumns}, exists (select from blocked_users b where b.app_id = e.app_id
      and ((b.uid = ${uid} and b.blocked_uid = e.sender)
        or (b.uid = e.sender and b.blocked_uid = ${uid}))) as blocked
    from entries e
    where e.bucket = ${bucket} and e.conversation_key = ${key} and e.app_id = ${appId}
      and e.seq between ${fromSeq} and ${toSeq} and e.sender <> ${uid} and e.deleted_at is null
      and e.category not in ('action', 'call')
      and e.seq > coalesce((select p.reset_seq from participants p
        where p.bucket = ${bucket} and p.conversation_key = ${key} and p.uid = ${uid}), 0)
    order by e.seq desc limit ${most}`.execute(db)
  return rows.reverse()
}
