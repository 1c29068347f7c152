import { sql } from 'kysely'
import { type AppDb, databaseMs, jsonb } from '../../../database/app-db.ts'
import { texts } from '../../../database/arrays.ts'
import type { Db } from '../../../database/db.ts'
import { prepared, run } from '../../../database/prepared.ts'
import type { ConversationKey } from '../../../outbox/committed.ts'
import type { Subject } from '../notification-logs.sql.ts'
import type { Channel, ProviderKind } from '../providers/providers.sql.ts'

export type DigestChannel = Exclude<Channel, 'push'>

const operatorsMail = `
  select from app_settings s
  where s.app_id = a.app_id and s.key = 'notifications.operatorMail' and s.value = 'true'`

const withDigests = prepared<{ readonly appId: string }>(
  'apps with digests',
  `select a.app_id as "appId" from unnest($1::text[]) as a(app_id)
   where exists (select from notification_providers p
       where p.app_id = a.app_id and p.channel <> 'push' and p.is_enabled)
     or exists (${operatorsMail})`,
)

/** Which of these apps send e-mail or SMS. */
export async function appsWithDigests(
  db: Db,
  appIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await run(db, withDigests, [texts(appIds)])
  return new Set(rows.map(({ appId }) => appId))
}

type DigestKind = Extract<ProviderKind, 'custom' | 'sendgrid' | 'twilio'> | 'smtp'

/** Who carries digests of a channel. */
export interface DigestCarrier {
  readonly channel: DigestChannel
  readonly kind: DigestKind
  readonly appName: string
  /** Whether it has to be told where the user is reached. */
  readonly needsContact: boolean
}

/** One for each channel: the app's own server first, the mail server of the operator last. */
export async function findDigestCarriers({ appId, db }: AppDb): Promise<DigestCarrier[]> {
  const { rows } = await sql<DigestCarrier>`
    select distinct on (channel) channel, kind, "needsContact", a.name as "appName"
    from apps a cross join lateral (
      select p.channel, p.kind, case when p.kind = 'custom' then 1 else 2 end as place,
        p.kind <> 'custom' or coalesce((p.settings ->> case p.channel
          when 'email' then 'useStoredEmailID' else 'useStoredPhNo' end)::boolean, false)
          as "needsContact"
      from notification_providers p
      where p.app_id = a.app_id and p.channel <> 'push' and p.is_enabled
      union all
      select 'email', 'smtp', 3, true where exists (${sql.raw(operatorsMail)})) c
    where a.app_id = ${appId}
    order by channel, place`.execute(db)
  return rows
}

/** A message that digests are to speak of. */
export interface Announced extends ConversationKey, Subject {
  /** Id of the event. */
  readonly source: string
  readonly seq: number
  readonly sender: string
}

/** How digests of a channel wait. */
export interface Waiting {
  readonly channel: DigestChannel
  readonly dueInMs: number
  readonly onlyUnread: boolean
  readonly onlyWithContact: boolean
}

/**
 * Everybody's digest takes the message in; who has none gets one. A message that a digest speaks of
 * already is left alone, so an event may come twice. Nothing happens in a larger group.
 */
export async function announceInDigests(
  { appId, db }: AppDb,
  message: Announced,
  channels: readonly Waiting[],
  most: number,
  now: number,
): Promise<void> {
  const { bucket, key, seq, sender } = message
  const here = sql`p.bucket = ${bucket} and p.conversation_key = ${key} and p.app_id = ${appId}`
  await sql`
    insert into notification_deliveries as d (app_id, source, trigger, uid, channel, device, status,
      due_at, payload, conversation_key, from_seq, to_seq, message_id, message_sent_at_ms,
      message_category, message_type, sender, receiver, receiver_type, created_at)
    select ${appId}, ${message.source}, 'after_message', p.uid, c.channel, '', 'waiting',
      ${databaseMs} + c."dueInMs", ${jsonb({ bucket })}, ${key}, ${seq}, ${seq}, ${message.messageId},
      ${message.messageSentAtMS}, ${message.messageCategory}, ${message.messageType}, ${sender},
      ${message.receiver}, ${message.receiverType}, ${now}
    from participants p
    cross join jsonb_to_recordset(${jsonb(channels)}) as c (channel text, "dueInMs" bigint,
      "onlyUnread" boolean, "onlyWithContact" boolean)
    left join contact_details k on k.app_id = p.app_id and k.uid = p.uid
    where ${here} and p.uid <> ${sender}
      and (select count(*) from (select from participants p where ${here} limit ${most + 1}) m)
        <= ${most}
      and (not c."onlyUnread" or p.read_seq < ${seq})
      and (not c."onlyWithContact"
        or case c.channel when 'email' then k.email else k.phno end is not null)
      and not exists (select from notification_deliveries l
        where l.app_id = p.app_id and l.uid = p.uid and l.channel = c.channel
          and l.channel <> 'push' and l.conversation_key = ${key}
          and l.from_seq <= ${seq} and l.to_seq >= ${seq})
    order by p.uid, c.channel
    on conflict (app_id, uid, channel, conversation_key)
      where status = 'waiting' and attempt = 0 and channel <> 'push'
    do update set from_seq = least(d.from_seq, excluded.from_seq),
      to_seq = greatest(d.to_seq, excluded.to_seq)`.execute(db)
}
