import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import type { EntryRow } from '../log/entries/index.ts'

/** What this user has used of a message so far. */
export async function findInteractions(
  { appId, db }: AppDb,
  { bucket, key, seq }: EntryRow,
  uid: string,
): Promise<Set<string>> {
  const { rows } = await sql<{ elementId: string }>`
    select element_id as "elementId" from interactions
    where bucket = ${bucket} and conversation_key = ${key} and seq = ${seq} and uid = ${uid}
      and app_id = ${appId}`.execute(db)
  return new Set(rows.map(({ elementId }) => elementId))
}

export async function insertInteractions(
  { appId, db }: AppDb,
  { bucket, key, seq }: EntryRow,
  uid: string,
  elementIds: readonly string[],
  now: number,
): Promise<void> {
  await sql`
    insert into interactions
      (bucket, conversation_key, seq, uid, element_id, interacted_at, app_id)
    select ${bucket}, ${key}, ${seq}, ${uid}, element_id, ${now}, ${appId}
    from unnest(${elementIds}::text[]) as element_id`.execute(db)
}
