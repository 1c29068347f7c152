import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import { bigints } from '../../database/arrays.ts'
import { besideTables, messageTables } from './tables.ts'

/** What is stored about messages, elsewhere than in their conversation. Rows by table. */
export async function forgetMessages(
  { appId, db }: AppDb,
  ids: readonly number[],
): Promise<Record<string, number>> {
  const rows: Record<string, number> = {}
  for (const table of messageTables) {
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)}
      where app_id = ${appId} and message_id = any(${bigints(ids)}::bigint[])`.execute(db)
    if (numAffectedRows > 0n) rows[table] = Number(numAffectedRows)
  }
  return rows
}

/** Some rows of logs that are older. What waits is not old. Rows by table. */
export async function forgetBeside(
  { appId, db }: AppDb,
  before: number,
  most: number,
): Promise<Record<string, number>> {
  const rows: Record<string, number> = {}
  for (const [table, isOver] of Object.entries(besideTables)) {
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where app_id = ${appId} and ctid = any(array(
        select ctid from ${sql.table(table)}
        where app_id = ${appId} and created_at < ${before} and ${sql.raw(isOver)} limit ${most}))
    `.execute(db)
    if (numAffectedRows > 0n) rows[table] = Number(numAffectedRows)
  }
  return rows
}
