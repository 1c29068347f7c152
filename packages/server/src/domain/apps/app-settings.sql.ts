import { sql } from 'kysely'
import { type AppDb, jsonb } from '../../database/app-db.ts'

type Settings = Record<string, boolean | number | string[]>

export async function readSettings({ appId, db }: AppDb): Promise<Settings> {
  const { rows } = await sql<{ settings: Settings }>`
    select coalesce(jsonb_object_agg(key, value), '{}') as settings
    from app_settings where app_id = ${appId}`.execute(db)
  return rows[0]?.settings ?? {}
}

export async function writeSettings({ appId, db }: AppDb, settings: Settings): Promise<void> {
  await sql`
    insert into app_settings (app_id, key, value)
    select ${appId}, key, value from jsonb_each(${jsonb(settings)}) order by key
    on conflict (app_id, key) do update set value = excluded.value`.execute(db)
}

export async function deleteSettings({ appId, db }: AppDb, keys: readonly string[]): Promise<void> {
  await sql`delete from app_settings where app_id = ${appId} and key = any(${keys})`.execute(db)
}
