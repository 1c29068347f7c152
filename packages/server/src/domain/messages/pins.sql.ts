import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import type { ConversationKey } from '../../outbox/committed.ts'
import type { EntryRow } from '../log/entries/index.ts'

export async function countPins(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from pins
    where bucket = ${bucket} and conversation_key = ${key} and app_id = ${appId}`.execute(db)
  return rows[0]?.count ?? 0
}

export async function insertPin(
  { appId, db }: AppDb,
  { bucket, key, seq }: EntryRow,
): Promise<void> {
  await sql`
    insert into pins (bucket, conversation_key, seq, app_id)
    values (${bucket}, ${key}, ${seq}, ${appId})`.execute(db)
}

export async function deletePin(
  { appId, db }: AppDb,
  { bucket, key, seq }: EntryRow,
): Promise<void> {
  await sql`
    delete from pins
    where bucket = ${bucket} and conversation_key = ${key} and seq = ${seq} and app_id = ${appId}
  `.execute(db)
}
