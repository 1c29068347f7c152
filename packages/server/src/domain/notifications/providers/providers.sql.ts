import { sql } from 'kysely'
import { type AppDb, jsonb } from '../../../database/app-db.ts'

export type Channel = 'push' | 'sms' | 'email'
export type ProviderKind = 'fcm' | 'apns' | 'web' | 'custom' | 'twilio' | 'sendgrid'

export interface ProviderKey {
  readonly channel: Channel
  readonly kind: ProviderKind
  readonly providerId: string
}

export interface ProviderRow extends ProviderKey {
  readonly isDefault: boolean
  readonly isEnabled: boolean
  /** Without the secret. */
  readonly settings: Readonly<Record<string, unknown>>
  readonly secretEncrypted: Buffer
  readonly createdAt: number
  readonly updatedAt: number
}

const columns = sql`
  channel, kind, provider_id as "providerId", is_default as "isDefault", is_enabled as "isEnabled",
  settings, secret_encrypted as "secretEncrypted", created_at as "createdAt",
  updated_at as "updatedAt"`

function named(appId: string, { channel, kind, providerId }: ProviderKey) {
  return sql`app_id = ${appId} and channel = ${channel} and kind = ${kind}
    and provider_id = ${providerId}`
}

export async function findProvider({ appId, db }: AppDb, key: ProviderKey) {
  const { rows } = await sql<ProviderRow>`
    select ${columns} from notification_providers where ${named(appId, key)}`.execute(db)
  return rows[0]
}

/** Oldest first. */
export async function listProviders(
  { appId, db }: AppDb,
  channel: Channel,
  kind: ProviderKind,
): Promise<ProviderRow[]> {
  const { rows } = await sql<ProviderRow>`
    select ${columns} from notification_providers
    where app_id = ${appId} and channel = ${channel} and kind = ${kind}
    order by created_at, provider_id`.execute(db)
  return rows
}

export type WrittenProvider = Omit<ProviderRow, 'isDefault' | 'createdAt'>

/** Adds or replaces; the first of its kind becomes the default. */
export async function writeProvider({ appId, db }: AppDb, row: WrittenProvider): Promise<void> {
  await sql`
    insert into notification_providers (app_id, channel, kind, provider_id, is_default, is_enabled,
      settings, secret_encrypted, created_at, updated_at)
    values (${appId}, ${row.channel}, ${row.kind}, ${row.providerId},
      not exists (select from notification_providers where app_id = ${appId}
        and channel = ${row.channel} and kind = ${row.kind} and is_default),
      ${row.isEnabled}, ${jsonb(row.settings)}, ${row.secretEncrypted}, ${row.updatedAt},
      ${row.updatedAt})
    on conflict (app_id, channel, kind, provider_id) do update
    set is_enabled = excluded.is_enabled, settings = excluded.settings,
        secret_encrypted = excluded.secret_encrypted, updated_at = excluded.updated_at
  `.execute(db)
}

export async function setDefaultProvider({ appId, db }: AppDb, key: ProviderKey): Promise<void> {
  // Two steps: there is no moment with two defaults, not even inside a statement.
  await sql`
    update notification_providers set is_default = false
    where app_id = ${appId} and channel = ${key.channel} and kind = ${key.kind} and is_default
  `.execute(db)
  await sql`
    update notification_providers set is_default = true where ${named(appId, key)}`.execute(db)
}

export async function deleteProvider({ appId, db }: AppDb, key: ProviderKey): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from notification_providers where ${named(appId, key)}`.execute(db)
  return numAffectedRows === 1n
}
