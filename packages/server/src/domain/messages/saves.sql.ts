import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import type { EntryRow } from '../log/entries/index.ts'

/** What is in a conversation that the user has left does not count. */
export async function countSaves({ appId, db }: AppDb, uid: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from saves s
    where s.app_id = ${appId} and s.uid = ${uid} and exists (
      select from participants p
      where p.bucket = s.bucket and p.conversation_key = s.conversation_key and p.uid = s.uid)
  `.execute(db)
  return rows[0]?.count ?? 0
}

/** Since when it is saved; undefined: it is not. */
export async function findSave(
  { appId, db }: AppDb,
  uid: string,
  { bucket, key, seq }: EntryRow,
): Promise<number | undefined> {
  const { rows } = await sql<{ savedAt: number }>`
    select saved_at as "savedAt" from saves
    where app_id = ${appId} and uid = ${uid} and bucket = ${bucket} and conversation_key = ${key}
      and seq = ${seq}`.execute(db)
  return rows[0]?.savedAt
}

export async function insertSave(
  { appId, db }: AppDb,
  uid: string,
  { bucket, key, seq }: EntryRow,
  now: number,
): Promise<void> {
  await sql`
    insert into saves (app_id, uid, bucket, conversation_key, seq, saved_at)
    values (${appId}, ${uid}, ${bucket}, ${key}, ${seq}, ${now})`.execute(db)
}

/** False: it was not saved. */
export async function deleteSave(
  { appId, db }: AppDb,
  uid: string,
  { bucket, key, seq }: EntryRow,
): Promise<boolean> {
  const { rows } = await sql`
    delete from saves
    where app_id = ${appId} and uid = ${uid} and bucket = ${bucket} and conversation_key = ${key}
      and seq = ${seq}
    returning seq`.execute(db)
  return rows.length > 0
}
