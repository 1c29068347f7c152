import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'

interface FounderRow {
  readonly uid: string
  readonly scope: string
  readonly joinedAt: number
}

/** Who was in a group from the start; no call adds more. */
export async function findFounders(
  { appId, db }: AppDb,
  guid: string,
  at: number,
): Promise<FounderRow[]> {
  const { rows } = await sql<FounderRow>`
    select m.uid, m.scope, m.joined_at as "joinedAt" from group_members m
    where m.app_id = ${appId} and m.guid = ${guid} and m.joined_at <= ${at}
    order by m.joined_at, m.uid limit 26`.execute(db)
  return rows
}
