import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import type { ConversationKey } from '../../outbox/committed.ts'
import type { EntryRow } from '../log/entries/index.ts'

/** A look back costs as much in a group where thousands talk as in any other. */
const farthest = 1000

/** How often the same had happened to members of the group in these seconds, up to `most`. */
export async function countAlike(
  { appId, db }: AppDb,
  { bucket, key, seq, sentAt }: EntryRow,
  action: string,
  { seconds, most }: { readonly seconds: number; readonly most: number },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from entries
      where bucket = ${bucket} and conversation_key = ${key} and app_id = ${appId}
        and seq >= ${seq - farthest} and seq < ${seq} and sent_at > ${sentAt - seconds}
        and category = 'action' and type = 'groupMember' and data ->> 'action' = ${action}
      limit ${most}) alike`.execute(db)
  return rows[0]?.count ?? 0
}

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
