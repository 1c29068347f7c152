import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import type { ConversationKey, Receiver } from './entries/entries.ts'

/** Between whom a conversation is; undefined when it is gone. */
export async function findReceiver(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
): Promise<Receiver | undefined> {
  const { rows } = await sql<{ guid: string | null; uid: string | null; withUid: string | null }>`
    select g.guid, p.uid, p.with_uid as "withUid" from conversations c
    left join groups g on g.bucket = c.bucket and g.conversation_key = c.conversation_key
    left join lateral (
      select p.uid, p.with_uid from participants p
      where g.guid is null and p.bucket = c.bucket and p.conversation_key = c.conversation_key
      limit 1) p on true
    where c.bucket = ${bucket} and c.conversation_key = ${key} and c.app_id = ${appId}`.execute(db)
  const [row] = rows
  if (!row) return undefined
  const { guid, uid, withUid } = row
  if (guid !== null) return { kind: 'group', guid }
  return uid === null || withUid === null ? undefined : { kind: 'user', uids: [uid, withUid] }
}
