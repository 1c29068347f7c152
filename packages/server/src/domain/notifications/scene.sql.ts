import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import type { ConversationKey } from '../conversations/index.ts'

/** Where a message stands in its conversation. */
export async function findSeqOf(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  id: number,
): Promise<number | undefined> {
  const { rows } = await sql<{ seq: number }>`
    select seq from entries
    where bucket = ${bucket} and id = ${id} and conversation_key = ${key}
      and app_id = ${appId}`.execute(db)
  return rows[0]?.seq
}
