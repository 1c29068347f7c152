import { randomBytes } from 'node:crypto'
import type { InstallDb } from '../../database/app-db.ts'
import type { Place, Vault } from '../../vault/vault.ts'
import { insertManagementKey } from './management-keys.sql.ts'

export function secretPlace(key: string): Place {
  return { appId: '', table: 'management_keys', field: key }
}

/** The secret is shown once: only its hash is kept. */
export async function createManagementKey(
  db: InstallDb,
  vault: Vault,
  name: string,
  now: number,
): Promise<{ key: string; secret: string }> {
  const key = randomBytes(12).toString('hex')
  const secret = randomBytes(24).toString('hex')
  await insertManagementKey(db, {
    key,
    secretHash: vault.hash(secret, secretPlace(key)),
    name,
    now,
  })
  return { key, secret }
}
