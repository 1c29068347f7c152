import type { PushSettings } from '@chorale/contract/notifications'
import { sql } from 'kysely'
import { type AppDb, jsonb } from '../../../database/app-db.ts'

export interface PushSettingsRow {
  /** Without the private key. */
  readonly settings: PushSettings
  readonly privateKeyEncrypted: Buffer | null
}

export async function findPushSettings({ appId, db }: AppDb): Promise<PushSettingsRow | undefined> {
  const { rows } = await sql<PushSettingsRow>`
    select settings, private_key_encrypted as "privateKeyEncrypted"
    from push_settings where app_id = ${appId}`.execute(db)
  return rows[0]
}

export async function writePushSettings(
  { appId, db }: AppDb,
  { settings, privateKeyEncrypted }: PushSettingsRow,
  now: number,
): Promise<void> {
  await sql`
    insert into push_settings (app_id, settings, private_key_encrypted, updated_at)
    values (${appId}, ${jsonb(settings)}, ${privateKeyEncrypted}, ${now})
    on conflict (app_id) do update
    set settings = excluded.settings, private_key_encrypted = excluded.private_key_encrypted,
        updated_at = excluded.updated_at`.execute(db)
}

export async function deletePushSettings({ appId, db }: AppDb): Promise<void> {
  await sql`delete from push_settings where app_id = ${appId}`.execute(db)
}
