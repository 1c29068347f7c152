import { sql } from 'kysely'
import { type AppDb, startingWith } from '../../database/app-db.ts'

export interface FoundUserRow {
  readonly uid: string
  readonly name: string
  readonly email: string | null
  readonly avatar: string | null
  readonly role: string
  readonly deactivatedAt: number | null
  readonly foundBy: 'uid' | 'email' | 'name'
}

/** Three walks of an index, each as long as the page; whoever is in several is named once. */
export async function findUsersBy(
  { appId, db }: AppDb,
  search: { readonly id: string; readonly name: string; readonly email: string },
  limit: number,
): Promise<FoundUserRow[]> {
  const { rows } = await sql<FoundUserRow>`
    with found as (
      (select u.uid, 1 as place, 'uid' as by from users u
       where u.app_id = ${appId} and u.uid like ${startingWith(search.id)}
       order by u.uid limit ${limit})
      union all
      (select c.uid, 2, 'email' from contact_details c
       where c.app_id = ${appId} and lower(c.email) like ${startingWith(search.email)}
       order by lower(c.email) using ~<~ limit ${limit})
      union all
      (select u.uid, 3, 'name' from users u
       where u.app_id = ${appId} and u.sort_name like ${startingWith(search.name)}
         and u.deactivated_at is null
       order by u.sort_name, u.uid limit ${limit})
      union all
      (select u.uid, 3, 'name' from users u
       where u.app_id = ${appId} and u.sort_name like ${startingWith(search.name)}
         and u.deactivated_at is not null
       order by u.sort_name, u.uid limit ${limit})
    ), best as (
      select distinct on (uid) uid, place, by from found order by uid, place
    )
    select u.uid, u.name, c.email, u.avatar, u.role, u.deactivated_at as "deactivatedAt",
           b.by as "foundBy"
    from best b
    join users u on u.app_id = ${appId} and u.uid = b.uid and u.uid <> 'app_system'
    left join contact_details c on c.app_id = u.app_id and c.uid = u.uid
    order by (u.uid = ${search.id}) desc, (lower(c.email) is not distinct from ${search.email}) desc,
             b.place, u.sort_name, u.uid
    limit ${limit}`.execute(db)
  return rows
}

export interface SupportedUserRow {
  readonly uid: string
  readonly name: string
  readonly avatar: string | null
  readonly role: string
  readonly email: string | null
  readonly phone: string | null
  readonly online: boolean
  readonly lastActiveAt: number | null
  readonly createdAt: number
  readonly deactivatedAt: number | null
}

export async function findSupportedUser(
  { appId, db }: AppDb,
  uid: string,
): Promise<SupportedUserRow | undefined> {
  const { rows } = await sql<SupportedUserRow>`
    select u.uid, u.name, u.avatar, u.role, c.email, c.phno as phone,
           coalesce(p.online, false) as online, p.last_active_at as "lastActiveAt",
           u.created_at as "createdAt", u.deactivated_at as "deactivatedAt"
    from users u
    left join contact_details c on c.app_id = u.app_id and c.uid = u.uid
    left join presence p on p.app_id = u.app_id and p.uid = u.uid
    where u.app_id = ${appId} and u.uid = ${uid}`.execute(db)
  return rows[0]
}

interface DeviceRow {
  readonly platform: string
  readonly kind: 'fcm' | 'apns' | 'web'
  readonly type: 'chat' | 'call'
  readonly providerId: string | null
  readonly pushToken: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly goneAt: number | null
}

export async function listDevices({ appId, db }: AppDb, uid: string): Promise<DeviceRow[]> {
  const { rows } = await sql<DeviceRow>`
    select platform, kind, type, provider_id as "providerId", push_token as "pushToken",
           created_at as "createdAt", updated_at as "updatedAt", gone_at as "goneAt"
    from push_tokens where app_id = ${appId} and uid = ${uid}
    order by updated_at desc, push_token limit 100`.execute(db)
  return rows
}

interface SignInRow {
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly platform: string | null
  readonly userAgent: string | null
  readonly issuerId: string | null
}

/** Those that are in force, the latest first. */
export async function listSignIns(
  { appId, db }: AppDb,
  uid: string,
  now: number,
): Promise<SignInRow[]> {
  const { rows } = await sql<SignInRow>`
    select created_at as "createdAt", expires_at as "expiresAt", platform,
           user_agent as "userAgent", issuer_id as "issuerId"
    from auth_tokens
    where app_id = ${appId} and uid = ${uid} and (expires_at is null or expires_at > ${now})
    order by created_at desc, token_hash limit 100`.execute(db)
  return rows
}

interface GroupRow {
  readonly guid: string
  readonly name: string
  readonly scope: string
  readonly joinedAt: number
}

export async function listGroupsOf({ appId, db }: AppDb, uid: string): Promise<GroupRow[]> {
  const { rows } = await sql<GroupRow>`
    select g.guid, g.name, m.scope, m.joined_at as "joinedAt"
    from group_members m join groups g on g.app_id = m.app_id and g.guid = m.guid
    where m.app_id = ${appId} and m.uid = ${uid}
    order by g.guid limit 100`.execute(db)
  return rows
}

interface PushRow {
  readonly id: string
  readonly at: number
  readonly channel: 'push' | 'email' | 'sms'
  readonly trigger: string
  readonly status: 'waiting' | 'sent' | 'failed' | 'withheld'
  readonly reason: string | null
  readonly provider: string | null
  readonly messageId: string | null
  readonly sender: string | null
}

export async function listPushes({ appId, db }: AppDb, uid: string): Promise<PushRow[]> {
  const { rows } = await sql<PushRow>`
    select delivery_id::text as id, created_at as at, channel, trigger, status,
           coalesce(response ->> 'reason', reason) as reason, provider,
           message_id::text as "messageId", sender
    from notification_deliveries where app_id = ${appId} and uid = ${uid}
    order by delivery_id desc limit 20`.execute(db)
  return rows
}

interface ConversationRow {
  readonly withUid: string | null
  readonly withGuid: string | null
  readonly withName: string | null
  readonly lastMessageAt: number
  readonly unread: number
}

/** What was reset by the user is among them: support sees that there was something. */
export async function listConversationsWith(
  { appId, db }: AppDb,
  uid: string,
  limit: number,
): Promise<ConversationRow[]> {
  const { rows } = await sql<ConversationRow>`
    select p.with_uid as "withUid", p.with_guid as "withGuid",
           coalesce(u.name, g.name) as "withName", c.last_at as "lastMessageAt",
           greatest(0, c.counted - p.read_counted - (p.own - p.read_own))::bigint as unread
    from participants p
    cross join lateral (
      select c.last_at, c.counted from conversations c
      where c.bucket = p.bucket and c.conversation_key = p.conversation_key limit 1) c
    left join users u on u.app_id = p.app_id and u.uid = p.with_uid
    left join groups g on g.app_id = p.app_id and g.guid = p.with_guid
    where p.app_id = ${appId} and p.uid = ${uid}
    order by c.last_at desc, p.conversation_key desc limit ${limit}`.execute(db)
  return rows
}
