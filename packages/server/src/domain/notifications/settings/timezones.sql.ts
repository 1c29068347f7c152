import { sql } from 'kysely'
import type { AppDb } from '../../../database/app-db.ts'

export async function readTimezone({ appId, db }: AppDb, uid: string): Promise<string | undefined> {
  const { rows } = await sql<{ timezone: string | null }>`
    select timezone from notification_preferences
    where app_id = ${appId} and uid = ${uid}`.execute(db)
  return rows[0]?.timezone ?? undefined
}

export async function writeTimezone({ appId, db }: AppDb, uid: string, timezone: string) {
  await sql`
    insert into notification_preferences (app_id, uid, timezone)
    values (${appId}, ${uid}, ${timezone})
    on conflict (app_id, uid) do update set timezone = excluded.timezone`.execute(db)
}
