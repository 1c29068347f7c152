import { sql } from 'kysely'
import { type AppDb, databaseMs, jsonb } from '../../../database/app-db.ts'
import type { Db } from '../../../database/db.ts'
import { defineQueue, dueAgain, type Job } from '../../../jobs/queue.sql.ts'
import type { ConversationKey } from '../../../outbox/committed.ts'
import type { EntryRow } from '../../log/entries/index.ts'
import { entryColumns } from '../../log/index.ts'
import type { DigestChannel } from './digests.sql.ts'

/** One digest to one user, about what came in one conversation. */
export interface DigestJob extends ConversationKey, Job {
  readonly deliveryId: number
  readonly uid: string
  readonly channel: DigestChannel
  /** Since it was tried for the first time. */
  readonly elapsedMs: number
  readonly fromSeq: number
  readonly toSeq: number
  readonly name: string
  readonly email: string | null
  readonly phno: string | null
}

/** From the first claim on it takes in no more messages. */
export const digestQueue = defineQueue<DigestJob>({
  name: 'digests',
  table: 'notification_deliveries',
  key: { app_id: 'appId', delivery_id: 'deliveryId' },
  open: `j.status = 'waiting' and j.channel <> 'push'`,
  set: 'started_at_ms = coalesce(j.started_at_ms, m.now)',
  columns: `j.delivery_id as "deliveryId", j.uid, j.channel,
    m.now - j.started_at_ms as "elapsedMs", (j.payload ->> 'bucket')::smallint as bucket,
    j.conversation_key as key, j.from_seq as "fromSeq", j.to_seq as "toSeq", u.name, k.email, k.phno`,
  joins: `
    join users u on u.app_id = j.app_id and u.uid = j.uid
    left join contact_details k on k.app_id = j.app_id and k.uid = j.uid`,
})

/** What became of an attempt. `waiting`: there will be another. */
export interface DigestResult {
  readonly status: 'waiting' | 'sent' | 'failed' | 'withheld'
  /** Until then. */
  readonly afterMs?: number
  readonly reason?: string
  readonly provider?: string
  /** What was sent and what came back, where the app keeps a log. */
  readonly payload?: object
  readonly response?: object
}

export async function recordDigest(
  db: Db,
  job: DigestJob,
  { status, afterMs = 0, reason, provider, payload, response }: DigestResult,
): Promise<void> {
  const goesOn = status === 'waiting'
  await sql`
    update notification_deliveries
    set status = ${status}, ${dueAgain(afterMs)}, reason = ${reason ?? null},
        provider = ${provider ?? null}, response = ${response ? jsonb(response) : null},
        payload = ${goesOn ? sql`payload` : payload ? jsonb(payload) : null},
        ended_at_ms = ${goesOn ? null : databaseMs}
    where ${digestQueue.held(job)}`.execute(db)
}

/** How many digests have gone to the user in this time, and how many of them about this conversation. */
export async function countDigests(
  db: Db,
  { appId, uid, channel, key }: DigestJob,
  withinMs: number,
): Promise<{ readonly all: number; readonly here: number }> {
  const { rows } = await sql<{ all: number; here: number }>`
    select count(*)::int as "all",
      count(*) filter (where conversation_key = ${key})::int as here
    from notification_deliveries
    where app_id = ${appId} and uid = ${uid} and channel = ${channel} and channel <> 'push'
      and status = 'sent' and ended_at_ms > ${databaseMs} - ${withinMs}::bigint`.execute(db)
  return rows[0] ?? { all: 0, here: 0 }
}

/** A message of somebody else, and whether one of the two has blocked the other. */
export type AnnouncedRow = EntryRow & { readonly blocked: boolean }

/** What a digest speaks of and is still to be seen: the newest, in the order of the conversation. */
export async function findAnnounced(
  { appId, db }: AppDb,
  { bucket, key, uid, fromSeq, toSeq }: DigestJob,
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
