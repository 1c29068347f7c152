import type { MutedConversation } from '@chorale/contract/notifications'
import { sql } from 'kysely'
import { type AppDb, jsonb } from '../../../database/app-db.ts'

type Conversation = Pick<MutedConversation, 'id' | 'type'>

export async function listMutes({ appId, db }: AppDb, uid: string, nowMs: number) {
  const { rows } = await sql<Conversation & { until: number | null }>`
    select type, id, until_ms as until from muted_conversations
    where app_id = ${appId} and uid = ${uid} and (until_ms is null or until_ms > ${nowMs})
    order by type, id`.execute(db)
  return rows
}

export async function insertMutes(
  { appId, db }: AppDb,
  uid: string,
  conversations: readonly MutedConversation[],
): Promise<void> {
  await sql`
    insert into muted_conversations (app_id, uid, type, id, until_ms)
    select ${appId}, ${uid}, type, id, until
    from jsonb_to_recordset(${jsonb(conversations)}) as given (type text, id text, until bigint)
    order by type, id
    on conflict (app_id, uid, type, id) do update set until_ms = excluded.until_ms`.execute(db)
}

export async function deleteMutes(
  { appId, db }: AppDb,
  uid: string,
  conversations: readonly Conversation[],
): Promise<void> {
  await sql`
    delete from muted_conversations m
    using jsonb_to_recordset(${jsonb(conversations)}) as given (type text, id text)
    where m.app_id = ${appId} and m.uid = ${uid} and m.type = given.type and m.id = given.id
  `.execute(db)
}

export async function deleteEndedMutes({ appId, db }: AppDb, uid: string, nowMs: number) {
  await sql`
    delete from muted_conversations
    where app_id = ${appId} and uid = ${uid} and until_ms <= ${nowMs}`.execute(db)
}

export async function countMutes({ appId, db }: AppDb, uid: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from muted_conversations
    where app_id = ${appId} and uid = ${uid}`.execute(db)
  return rows[0]?.count ?? 0
}
