import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import type { ConversationKey } from '../../outbox/committed.ts'

export interface HoldRow {
  readonly holdId: string
  readonly uid: string | null
  readonly guid: string | null
  readonly reason: string
  readonly createdAt: number
}

const columns = sql`hold_id::text as "holdId", uid, guid, reason, created_at as "createdAt"`

export async function insertHold(
  { appId, db }: AppDb,
  { uid, guid, reason }: { uid?: string; guid?: string; reason: string },
  now: number,
): Promise<HoldRow> {
  const { rows } = await sql<HoldRow>`
    insert into legal_holds (app_id, uid, guid, reason, created_at)
    values (${appId}, ${uid ?? null}, ${guid ?? null}, ${reason}, ${now}) returning ${columns}`.execute(
    db,
  )
  const [made] = rows
  if (!made) throw new Error('A hold was not inserted.')
  return made
}

export async function listHolds({ appId, db }: AppDb, limit: number, page: number) {
  const { rows } = await sql<HoldRow>`
    select ${columns} from legal_holds where app_id = ${appId}
    order by hold_id limit ${limit} offset ${(page - 1) * limit}`.execute(db)
  return rows
}

export async function deleteHold({ appId, db }: AppDb, holdId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from legal_holds where app_id = ${appId} and hold_id = ${holdId}`.execute(db)
  return numAffectedRows === 1n
}

/** What a hold can name, and whether it is there. Locked: it is not deleted meanwhile. */
export async function exists(
  { appId, db }: AppDb,
  { uid, guid }: { uid?: string; guid?: string },
): Promise<boolean> {
  const { rows } = await (uid === undefined
    ? sql`select from groups where app_id = ${appId} and guid = ${guid} for key share`
    : sql`select from users where app_id = ${appId} and uid = ${uid} for key share`
  ).execute(db)
  return rows.length > 0
}

/** Whom or what a hold names that the user has a conversation with, or the user. */
export async function heldUserAround({ appId, db }: AppDb, uid: string) {
  const { rows } = await sql<{ what: string }>`
    select coalesce('the user ' || h.uid, 'the group ' || h.guid) as what from legal_holds h
    where h.app_id = ${appId} and (
      h.uid = ${uid}
      or exists (select from user_conversations c
                 where c.app_id = ${appId} and c.low_uid = least(h.uid, ${uid})
                   and c.high_uid = greatest(h.uid, ${uid}))
      or exists (select from group_members m
                 where m.app_id = ${appId} and m.guid = h.guid and m.uid = ${uid}))
    order by h.hold_id limit 1`.execute(db)
  return rows[0]?.what
}

/** Whose hold is over what was said in the group: its own, or that of somebody who wrote there. */
export async function heldInGroup({ appId, db }: AppDb, guid: string) {
  const { rows } = await sql<{ what: string }>`
    select coalesce('the user ' || h.uid, 'the group ' || h.guid) as what from legal_holds h
    join groups g on g.app_id = h.app_id and g.guid = ${guid}
    where h.app_id = ${appId} and (
      h.guid = ${guid}
      or exists (select from entries e
                 where e.bucket = g.bucket and e.conversation_key = g.conversation_key
                   and e.app_id = ${appId} and e.sender = h.uid))
    order by h.hold_id limit 1`.execute(db)
  return rows[0]?.what
}

/** Whether a hold is over what this user has said in this conversation. */
export async function isKept(
  { appId, db }: AppDb,
  { bucket, key, sender }: ConversationKey & { readonly sender: string },
): Promise<boolean> {
  const { rows } = await sql`
    select from legal_holds h where h.app_id = ${appId} and (
      h.uid = ${sender}
      or exists (select from participants p
                 where p.conversation_key = ${key} and p.uid = h.uid and p.app_id = ${appId})
      or exists (select from groups g
                 where g.app_id = ${appId} and g.guid = h.guid and g.bucket = ${bucket}
                   and g.conversation_key = ${key}))
    limit 1`.execute(db)
  return rows.length > 0
}

/** Those of groups that are under a hold. */
export async function heldConversations({ appId, db }: AppDb): Promise<ConversationKey[]> {
  const { rows } = await sql<ConversationKey>`
    select g.bucket, g.conversation_key as key from legal_holds h
    join groups g on g.app_id = h.app_id and g.guid = h.guid
    where h.app_id = ${appId}`.execute(db)
  return rows
}

/** Whether a hold is over the whole conversation, and over whose messages in any. */
export interface Held {
  readonly all: boolean
  readonly senders: readonly string[]
}

/** As `isKept` says it of a message. */
export async function holdsOver({ appId, db }: AppDb, { bucket, key }: ConversationKey) {
  const { rows } = await sql<Held>`
    select coalesce(bool_or(p.uid is not null or g.guid is not null), false) as all,
           array_remove(array_agg(h.uid), null) as senders
    from legal_holds h
    left join participants p
      on p.conversation_key = ${key} and p.uid = h.uid and p.app_id = ${appId}
    left join groups g on g.app_id = ${appId} and g.guid = h.guid and g.bucket = ${bucket}
      and g.conversation_key = ${key}
    where h.app_id = ${appId}`.execute(db)
  const [held] = rows
  return { all: held?.all ?? false, senders: held?.senders ?? [] }
}

export async function anyHold({ appId, db }: AppDb): Promise<boolean> {
  const { rows } = await sql`
    select from legal_holds where app_id = ${appId} limit 1`.execute(db)
  return rows.length > 0
}
