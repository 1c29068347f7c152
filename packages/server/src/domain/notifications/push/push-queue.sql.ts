import type { NotificationReason } from '@chorale/contract/notifications'
import { sql } from 'kysely'
import { databaseMs, jsonb } from '../../../database/app-db.ts'
import type { Db } from '../../../database/db.ts'
import { defineQueue, type Job } from '../../../jobs/queue.sql.ts'
import type { Trigger } from '../decide.ts'
import type { ProviderKind } from '../providers/providers.sql.ts'
import type { UserPreferences } from '../settings/effective-preferences.ts'

/** One notification for one device. */
export interface PushJob extends Job {
  readonly deliveryId: number
  readonly source: string
  readonly trigger: Trigger
  readonly uid: string
  readonly device: Buffer
  /** Since the event. */
  readonly elapsedMs: number
  readonly kind: ProviderKind
  readonly providerId: string | null
  readonly tokenType: 'chat' | 'call'
  readonly pushToken: string
  /** Of the device, where it still has one: what it is, and what a push to a browser needs. */
  readonly platform: string | null
  readonly keys: { readonly p256dh: string; readonly auth: string } | null
  /** Where the message is, and who did what to it. */
  readonly about: {
    readonly bucket: number
    readonly key: number
    readonly seq: number
    readonly actor: string
    readonly reaction?: string
  }
  /** Moves whenever the message changes; null: it never has. */
  readonly change: number | null
  readonly name: string
  readonly choices: UserPreferences
  /** How far the recipient has read by now. */
  readonly readSeq: number
}

export const pushQueue = defineQueue<PushJob>({
  name: 'pushes',
  table: 'notification_deliveries',
  key: { app_id: 'appId', delivery_id: 'deliveryId' },
  open: `j.status = 'waiting' and j.channel = 'push'`,
  set: 'started_at_ms = coalesce(j.started_at_ms, m.now)',
  columns: `j.delivery_id as "deliveryId", j.source, j.trigger, j.uid, j.device,
    m.now - j.created_at * 1000 as "elapsedMs", j.provider as kind, j.provider_id as "providerId",
    j.token_type as "tokenType", j.push_token as "pushToken", t.platform, t.keys,
    j.payload as about, j.payload ->> 'trace' as trace, u.name, coalesce(c.choices, '{}') as choices,
    coalesce(p.read_seq, 0) as "readSeq", e.change`,
  joins: `
    join users u on u.app_id = j.app_id and u.uid = j.uid
    left join push_tokens t on t.app_id = j.app_id and t.push_token_hash = j.device
      and t.gone_at is null
    left join notification_preferences c on c.app_id = j.app_id and c.uid = j.uid
    left join lateral (
      select p.read_seq from participants p
      where p.bucket = (j.payload ->> 'bucket')::smallint
        and p.conversation_key = (j.payload ->> 'key')::bigint and p.app_id = j.app_id
        and p.uid = j.uid limit 1) p on true
    left join lateral (
      select e.change from entries e
      where e.bucket = (j.payload ->> 'bucket')::smallint
        and e.conversation_key = (j.payload ->> 'key')::bigint and e.app_id = j.app_id
        and e.seq = (j.payload ->> 'seq')::bigint limit 1) e on true`,
})

/** What became of an attempt. `waiting`: there will be another. */
export interface Result {
  readonly job: PushJob
  readonly status: 'waiting' | 'sent' | 'failed' | 'withheld'
  /** Until then. */
  readonly afterMs?: number
  readonly reason?: NotificationReason
  /** What was sent, where the app keeps a log. */
  readonly payload?: object
  /** What came back. */
  readonly response?: object
}

/** Of jobs whose lease is not lost. */
export async function recordPushes(db: Db, results: readonly Result[]): Promise<void> {
  const rows = results.map(({ job, status, afterMs = 0, reason, payload, response }) => ({
    appId: job.appId,
    deliveryId: job.deliveryId,
    leasedUntil: job.leasedUntil,
    status,
    afterMs: Math.ceil(afterMs),
    reason,
    payload,
    response,
  }))
  await sql`
    update notification_deliveries d
    set status = r.status, leased_until = null, due_at = ${databaseMs} + r."afterMs",
        reason = r.reason, response = r.response,
        payload = case when r.status = 'waiting' then d.payload else r.payload end,
        ended_at_ms = case when r.status = 'waiting' then null else ${databaseMs} end
    from jsonb_to_recordset(${jsonb(rows)}) as r ("appId" text, "deliveryId" bigint,
      "leasedUntil" bigint, status text, "afterMs" bigint, reason text, payload jsonb,
      response jsonb)
    where d.app_id = r."appId" and d.delivery_id = r."deliveryId"
      and d.leased_until = r."leasedUntil"`.execute(db)
}

/** The oldest, some at a time. True: there are more. */
export async function deleteOldDeliveries(db: Db, before: number): Promise<boolean> {
  const most = 1000
  const { numAffectedRows } = await sql`
    delete from notification_deliveries where (app_id, delivery_id) in (
      select app_id, delivery_id from notification_deliveries
      where created_at < ${before} order by created_at limit ${most})`.execute(db)
  return numAffectedRows === BigInt(most)
}
