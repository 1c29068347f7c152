import type {
  LogQuery,
  NotificationLog,
  NotificationReason,
  NotificationTrigger,
} from '@chorale/contract/notifications'
import { sql } from 'kysely'
import { type AppDb, allOf, databaseMs, jsonb } from '../../database/app-db.ts'
import type { Channel } from './providers/providers.sql.ts'

/** What a notification is about; the log is searched by these. */
export interface Subject {
  readonly messageId?: number
  readonly messageSentAtMS?: number
  readonly messageCategory?: string
  readonly messageType?: string
  readonly reactionId?: number
  readonly sender?: string
  readonly receiver?: string
  readonly receiverType?: 'user' | 'group'
  readonly reactionSender?: string
  readonly reactionReceiver?: string
  readonly member?: string
}

export interface NewDelivery extends Subject {
  /** Id of the event. */
  readonly source: string
  readonly trigger: NotificationTrigger
  readonly uid: string
  readonly channel: Channel
  /** Hash of the push token, in hex; empty where there is one way to the user only. */
  readonly device: string
  readonly status: 'waiting' | 'withheld'
  /** Until it is due; negative: before others. */
  readonly dueInMs: number
  readonly reason?: NotificationReason
  readonly provider?: string
  readonly providerId?: string
  readonly tokenType?: string
  readonly pushToken?: string
  readonly payload?: object
}

/** Rows that are there already stay as they are: the event has been handled before. */
export async function insertDeliveries(
  { appId, db }: AppDb,
  deliveries: readonly NewDelivery[],
  now: number,
): Promise<void> {
  await sql`
    insert into notification_deliveries (app_id, source, trigger, uid, channel, device, status,
      due_at, reason, provider, provider_id, token_type, push_token, payload, message_id,
      message_sent_at_ms, message_category, message_type, reaction_id, sender, receiver,
      receiver_type, reaction_sender, reaction_receiver, member, created_at)
    select ${appId}, source, trigger, uid, channel, decode(device, 'hex'), status,
      ${databaseMs} + "dueInMs", reason, provider, "providerId", "tokenType", "pushToken", payload, "messageId",
      "messageSentAtMS", "messageCategory", "messageType", "reactionId", sender, receiver,
      "receiverType", "reactionSender", "reactionReceiver", member, ${now}
    from jsonb_to_recordset(${jsonb(deliveries)}) as r (source text, trigger text, uid text,
      channel text, device text, status text, "dueInMs" bigint, reason text, provider text,
      "providerId" text, "tokenType" text, "pushToken" text, payload jsonb, "messageId" bigint,
      "messageSentAtMS" bigint, "messageCategory" text, "messageType" text, "reactionId" bigint,
      sender text, receiver text, "receiverType" text, "reactionSender" text,
      "reactionReceiver" text, member text)
    order by source, trigger, uid, channel, device
    on conflict do nothing`.execute(db)
}

type Nullable<T> = { readonly [K in keyof T]: T[K] | null }

export type LogRow = Nullable<
  Omit<NotificationLog, 'component' | 'notificationTriggered' | 'success' | '_id'>
> &
  Pick<NotificationLog, '_id' | 'uid' | 'channel' | 'trigger'> & {
    readonly status: 'waiting' | 'sent' | 'failed' | 'withheld'
  }

const columns = sql`
  delivery_id::text as "_id", uid, channel, trigger, status, reason, provider,
  provider_id as "providerId", token_type as "tokenType", push_token as "pushToken",
  case when status <> 'waiting' then payload end as payload, response, message_id as "messageId", message_sent_at_ms as "messageSentAtMS",
  reaction_id as "reactionId", sender, receiver, receiver_type as "receiverType",
  reaction_sender as "reactionSender", reaction_receiver as "reactionReceiver", member,
  started_at_ms as "processingStartedAtMS", ended_at_ms as "processingEndedAtMS",
  ended_at_ms - started_at_ms as "totalProcessingTimeInMS"`

function matching(appId: string, query: LogQuery, since: number) {
  const is = (column: string, value: string | number | undefined) =>
    value === undefined ? undefined : sql`${sql.ref(column)} = ${value}`
  const whether = (wanted: boolean | undefined, status: 'withheld' | 'sent', same: boolean) =>
    wanted === undefined ? undefined : sql`(status = ${status}) = ${wanted === same}`
  return allOf([
    sql`app_id = ${appId} and created_at >= ${Math.max(since, query.from ?? 0)}`,
    query.to === undefined ? undefined : sql`created_at <= ${query.to}`,
    is('uid', query.uid),
    is('message_id', query.messageId),
    is('reaction_id', query.reactionId),
    is('message_category', query.messageCategory),
    is('message_type', query.messageType),
    is('trigger', query.trigger),
    is('sender', query.sender),
    is('reaction_sender', query.reactionSender),
    is('receiver', query.receiver),
    is('receiver_type', query.receiverType),
    is('reaction_receiver', query.reactionReceiver),
    is('member', query.member),
    is('channel', query.channel),
    is('provider', query.provider),
    is('reason', query.reason),
    whether(query.notificationTriggered, 'withheld', false),
    whether(query.success, 'sent', true),
  ])
}

/** Oldest first. `append` goes on behind `logId`; otherwise these are the newest, or those before it. */
export async function listLogs(
  { appId, db }: AppDb,
  query: LogQuery,
  since: number,
): Promise<LogRow[]> {
  const { affix, logId, limit } = query
  const forward = affix === 'append' && logId !== undefined
  const place = logId === undefined ? undefined : Number(logId)
  const behind = forward ? sql`delivery_id > ${place}` : sql`delivery_id < ${place}`
  const { rows } = await sql<LogRow>`
    select ${columns} from notification_deliveries
    where ${allOf([matching(appId, query, since), place === undefined ? undefined : behind])}
    order by delivery_id ${forward ? sql`asc` : sql`desc`} limit ${limit}`.execute(db)
  return forward ? rows : rows.reverse()
}

export async function writeLogSwitch({ appId, db }: AppDb, enabledAt: number): Promise<void> {
  await sql`
    insert into notification_log_switches (app_id, enabled_at) values (${appId}, ${enabledAt})
    on conflict (app_id) do update set enabled_at = excluded.enabled_at`.execute(db)
}

export async function deleteLogSwitch({ appId, db }: AppDb): Promise<void> {
  await sql`delete from notification_log_switches where app_id = ${appId}`.execute(db)
}

export async function logEnabledAt({ appId, db }: AppDb): Promise<number | undefined> {
  const { rows } = await sql<{ enabledAt: number }>`
    select enabled_at as "enabledAt" from notification_log_switches
    where app_id = ${appId}`.execute(db)
  return rows[0]?.enabledAt
}

export async function deleteDeliveriesTo({ appId, db }: AppDb, uid: string): Promise<void> {
  await sql`
    delete from notification_deliveries where app_id = ${appId} and uid = ${uid}`.execute(db)
}
