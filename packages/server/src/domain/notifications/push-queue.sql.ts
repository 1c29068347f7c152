import type { NotificationReason } from '@chorale/contract/notifications'
import { sql } from 'kysely'
import { jsonb } from '../../database/app-db.ts'
import type { Db } from '../../database/db.ts'
import { hot, run } from '../../database/hot.ts'
import type { Trigger } from './decide.ts'
import type { UserPreferences } from './effective-preferences.ts'
import type { ProviderKind } from './providers.sql.ts'

/** One notification for one device. */
export interface PushJob {
  readonly appId: string
  readonly source: string
  readonly trigger: Trigger
  readonly uid: string
  readonly device: Buffer
  readonly attempt: number
  readonly createdAt: number
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

const claim = hot<PushJob>(
  'notifications-claim-pushes',
  `with taken as (
    update notification_deliveries d
    set attempt = d.attempt + 1, next_at_ms = $1::bigint + $2::bigint,
        started_at_ms = coalesce(d.started_at_ms, $1)
    from (
      select app_id, source, trigger, uid, channel, device from notification_deliveries
      where status = 'waiting' and channel = 'push' and next_at_ms <= $1
      order by next_at_ms limit $3 for update skip locked) due
    where d.app_id = due.app_id and d.source = due.source and d.trigger = due.trigger
      and d.uid = due.uid and d.channel = due.channel and d.device = due.device
    returning d.*)
  select d.app_id as "appId", d.source, d.trigger, d.uid, d.device, d.attempt,
    d.created_at as "createdAt", d.provider as kind, d.provider_id as "providerId",
    d.token_type as "tokenType", d.push_token as "pushToken", t.platform, t.keys,
    d.payload as about, u.name, coalesce(c.choices, '{}') as choices,
    coalesce(p.read_seq, 0) as "readSeq", e.change
  from taken d
  join users u on u.app_id = d.app_id and u.uid = d.uid
  left join push_tokens t on t.app_id = d.app_id and t.push_token_hash = d.device
    and t.gone_at is null
  left join notification_preferences c on c.app_id = d.app_id and c.uid = d.uid
  left join lateral (
    select p.read_seq from participants p
    where p.bucket = (d.payload ->> 'bucket')::smallint
      and p.conversation_key = (d.payload ->> 'key')::bigint and p.app_id = d.app_id
      and p.uid = d.uid limit 1) p on true
  left join lateral (
    select e.change from entries e
    where e.bucket = (d.payload ->> 'bucket')::smallint
      and e.conversation_key = (d.payload ->> 'key')::bigint and e.app_id = d.app_id
      and e.seq = (d.payload ->> 'seq')::bigint limit 1) e on true`,
)

/** Those that are due, for as long as the lease. What somebody else is taking is passed over. */
export function claimPushes(
  db: Db,
  nowMs: number,
  leaseMs: number,
  most: number,
): Promise<PushJob[]> {
  return run(db, claim, [nowMs, leaseMs, most])
}

/** What became of an attempt. `waiting`: there will be another. */
export interface Result {
  readonly job: PushJob
  readonly status: 'waiting' | 'sent' | 'failed' | 'withheld'
  readonly nextAtMs: number
  readonly reason?: NotificationReason
  /** What was sent, where the app keeps a log. */
  readonly payload?: object
  /** What came back. */
  readonly response?: object
}

/** Counts only if nobody else has taken the job since. */
export async function recordPushes(
  db: Db,
  results: readonly Result[],
  nowMs: number,
): Promise<void> {
  const rows = results.map(({ job, status, nextAtMs, reason, payload, response }) => ({
    appId: job.appId,
    source: job.source,
    trigger: job.trigger,
    uid: job.uid,
    device: job.device.toString('hex'),
    attempt: job.attempt,
    status,
    nextAtMs,
    reason,
    payload,
    response,
  }))
  await sql`
    update notification_deliveries d
    set status = r.status, next_at_ms = r."nextAtMs", reason = r.reason, response = r.response,
        payload = case when r.status = 'waiting' then d.payload else r.payload end,
        ended_at_ms = case when r.status = 'waiting' then null else ${nowMs}::bigint end
    from jsonb_to_recordset(${jsonb(rows)}) as r ("appId" text, source text, trigger text, uid text,
      device text, attempt smallint, status text, "nextAtMs" bigint, reason text, payload jsonb,
      response jsonb)
    where d.app_id = r."appId" and d.source = r.source and d.trigger = r.trigger and d.uid = r.uid
      and d.channel = 'push' and d.device = decode(r.device, 'hex') and d.attempt = r.attempt
      and d.status = 'waiting'`.execute(db)
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
