import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import type { ConversationKey } from '../../outbox/committed.ts'

export async function findGroupConversation(
  { appId, db }: AppDb,
  guid: string,
): Promise<(ConversationKey & { readonly isPrivate: boolean }) | undefined> {
  const { rows } = await sql<ConversationKey & { readonly isPrivate: boolean }>`
    select bucket, conversation_key as key, type = 'private' as "isPrivate" from groups
    where app_id = ${appId} and guid = ${guid}`.execute(db)
  return rows[0]
}

export async function isGroupAdmin(
  { appId, db }: AppDb,
  guid: string,
  uid: string,
): Promise<boolean> {
  const { rows } = await sql`
    select from group_members
    where app_id = ${appId} and guid = ${guid} and uid = ${uid} and scope = 'admin'`.execute(db)
  return rows.length > 0
}

export async function isParticipant(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  uid: string,
): Promise<boolean> {
  const { rows } = await sql`
    select from participants
    where bucket = ${bucket} and conversation_key = ${key} and uid = ${uid} and app_id = ${appId}
  `.execute(db)
  return rows.length > 0
}

/** Up to which seq the history is hidden from this user; undefined: not theirs to see at all. */
export async function visibleFrom(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  uid: string,
): Promise<number | undefined> {
  const { rows } = await sql<{ resetSeq: number }>`
    select reset_seq as "resetSeq" from participants
    where bucket = ${bucket} and conversation_key = ${key} and uid = ${uid} and app_id = ${appId}
  `.execute(db)
  return rows[0]?.resetSeq
}
