import type { MutedConversation } from '@chorale/contract/notifications'
import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import type { ConversationKey } from '../../outbox/committed.ts'
import type { UserPreferences } from './settings/effective-preferences.ts'

/** Who takes part, and what notifying them depends on. */
export interface ParticipantRow {
  readonly uid: string
  readonly isDeactivated: boolean
  readonly blocked: boolean
  readonly online: boolean
  readonly readSeq: number
  readonly choices: UserPreferences
  readonly timezone: string | null
  readonly mute: { readonly until: number | null } | null
}

export interface RecipientRows extends ConversationKey {
  /** Whoever did it is not among them. */
  readonly actor: string
  /** Only those whom a device, or the app's own server, can be told of. */
  readonly onlyWithDevice: boolean
}

/** In the order of their uids, behind `after`. */
export async function findRecipientRows(
  { appId, db }: AppDb,
  { bucket, key, actor, onlyWithDevice }: RecipientRows,
  after: string,
  most: number,
): Promise<ParticipantRow[]> {
  const within = onlyWithDevice
    ? sql`and exists (select from push_tokens t
        where t.app_id = p.app_id and t.uid = p.uid and t.gone_at is null)`
    : sql``
  const { rows } = await sql<ParticipantRow>`
    select ${columns(actor)} from ${source}
    where p.bucket = ${bucket} and p.conversation_key = ${key} and p.app_id = ${appId}
      and p.uid > ${after} and p.uid <> ${actor} ${within}
    order by p.uid limit ${most}`.execute(db)
  return rows
}

export async function findParticipant(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  uid: string,
  actor: string,
): Promise<ParticipantRow | undefined> {
  const { rows } = await sql<ParticipantRow>`
    select ${columns(actor)} from ${source}
    where p.bucket = ${bucket} and p.conversation_key = ${key} and p.app_id = ${appId}
      and p.uid = ${uid}`.execute(db)
  return rows[0]
}

const columns = (actor: string) => sql`
  p.uid, u.deactivated_at is not null as "isDeactivated", coalesce(o.online, false) as online,
  p.read_seq as "readSeq", coalesce(c.choices, '{}') as choices, c.timezone,
  exists (select from blocked_users b where b.app_id = p.app_id
    and ((b.uid = p.uid and b.blocked_uid = ${actor})
      or (b.uid = ${actor} and b.blocked_uid = p.uid))) as blocked,
  (select jsonb_build_object('until', m.until_ms) from muted_conversations m
   where m.app_id = p.app_id and m.uid = p.uid and m.id = coalesce(p.with_guid, p.with_uid)
     and m.type = case when p.with_guid is null then 'oneOnOne' else 'group' end) as mute`

const source = sql`
  participants p
  join users u on u.app_id = p.app_id and u.uid = p.uid
  left join presence o on o.app_id = p.app_id and o.uid = p.uid
  left join notification_preferences c on c.app_id = p.app_id and c.uid = p.uid`

export function mutesOf(
  { mute }: ParticipantRow,
  id: string,
  kind: 'user' | 'group',
): MutedConversation[] {
  if (!mute) return []
  const type = kind === 'group' ? 'group' : 'oneOnOne'
  return [{ id, type, ...(mute.until !== null && { until: mute.until }) }]
}
