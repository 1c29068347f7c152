import { sql } from 'kysely'
import type { InstallDb } from '../../../database/app-db.ts'

export interface ManagementKeyRow {
  readonly key: string
  readonly name: string
  /** Null: every app. */
  readonly appIds: readonly string[] | null
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  readonly lastUsedAt: number | null
}

const columns = sql`
  key, name, app_ids as "appIds", created_at as "createdAt", expires_at as "expiresAt",
  revoked_at as "revokedAt", last_used_at as "lastUsedAt"`

export async function insertManagementKey(
  { db }: InstallDb,
  row: Pick<ManagementKeyRow, 'key' | 'name' | 'appIds' | 'createdAt' | 'expiresAt'> & {
    readonly secretHash: Buffer
  },
): Promise<void> {
  await sql`
    insert into management_keys (key, secret_hash, name, app_ids, created_at, expires_at)
    values (${row.key}, ${row.secretHash}, ${row.name}, ${row.appIds}, ${row.createdAt},
            ${row.expiresAt})`.execute(db)
}

export async function findManagementKey(
  { db }: InstallDb,
  key: string,
): Promise<(ManagementKeyRow & { secretHash: Buffer }) | undefined> {
  const { rows } = await sql<ManagementKeyRow & { secretHash: Buffer }>`
    select ${columns}, secret_hash as "secretHash" from management_keys
    where key = ${key}`.execute(db)
  return rows[0]
}

export async function listManagementKeys({ db }: InstallDb): Promise<ManagementKeyRow[]> {
  const { rows } = await sql<ManagementKeyRow>`
    select ${columns} from management_keys order by created_at, key`.execute(db)
  return rows
}

/** False when there is none that is not revoked already. */
export async function revokeManagementKey(
  { db }: InstallDb,
  key: string,
  now: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update management_keys set revoked_at = ${now}
    where key = ${key} and revoked_at is null`.execute(db)
  return numAffectedRows === 1n
}

/** Of calls at the same time one writes. */
export async function noteManagementKeyUse(
  { db }: InstallDb,
  key: string,
  now: number,
  olderThan: number,
): Promise<void> {
  await sql`
    update management_keys set last_used_at = ${now}
    where key = ${key} and (last_used_at is null or last_used_at < ${olderThan})`.execute(db)
}

/** Those of the ids that no app has, archived ones aside. */
export async function unknownApps({ db }: InstallDb, appIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ appId: string }>`
    select w.app_id as "appId" from unnest(${appIds}::text[]) as w(app_id)
    where not exists (select from apps a where a.app_id = w.app_id and a.archived_at is null)
  `.execute(db)
  return rows.map(({ appId }) => appId)
}
