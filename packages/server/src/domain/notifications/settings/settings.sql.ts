import { sql } from 'kysely'
import { type AppDb, jsonb } from '../../../database/app-db.ts'
import type { FlatTree } from './flat-tree.ts'

export async function readStoredSettings({ appId, db }: AppDb): Promise<FlatTree> {
  const { rows } = await sql<{ settings: FlatTree }>`
    select settings from notification_settings where app_id = ${appId}`.execute(db)
  return rows[0]?.settings ?? {}
}

export async function mergeSettings({ appId, db }: AppDb, changes: FlatTree): Promise<void> {
  await sql`
    insert into notification_settings as known (app_id, settings)
    values (${appId}, ${jsonb(changes)})
    on conflict (app_id) do update set settings = known.settings || excluded.settings`.execute(db)
}

export async function deleteSettings({ appId, db }: AppDb): Promise<void> {
  await sql`delete from notification_settings where app_id = ${appId}`.execute(db)
}
