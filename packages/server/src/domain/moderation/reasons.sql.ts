import type { Reason } from '@chorale/contract/moderation'
import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'

const columns = sql`
  reason_id as id, name, description, created_at as "createdAt", updated_at as "updatedAt"`

export async function findReasons({ appId, db }: AppDb): Promise<Reason[]> {
  const { rows } = await sql<Reason>`
    select ${columns} from moderation_reasons
    where app_id = ${appId} order by created_at, reason_id`.execute(db)
  return rows
}

export async function insertReason({ appId, db }: AppDb, reason: Reason): Promise<void> {
  await sql`
    insert into moderation_reasons (app_id, reason_id, name, description, created_at, updated_at)
    values (${appId}, ${reason.id}, ${reason.name}, ${reason.description}, ${reason.createdAt},
            ${reason.updatedAt})`.execute(db)
}

/** Undefined: no such reason. What is not given stays as it was. */
export async function updateReason(
  { appId, db }: AppDb,
  id: string,
  { name, description }: { readonly name?: string; readonly description?: string },
  now: number,
): Promise<Reason | undefined> {
  const { rows } = await sql<Reason>`
    update moderation_reasons
    set name = coalesce(${name ?? null}, name),
        description = coalesce(${description ?? null}, description), updated_at = ${now}
    where app_id = ${appId} and reason_id = ${id}
    returning ${columns}`.execute(db)
  return rows[0]
}

export async function deleteReason({ appId, db }: AppDb, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from moderation_reasons where app_id = ${appId} and reason_id = ${id}`.execute(db)
  return numAffectedRows === 1n
}
