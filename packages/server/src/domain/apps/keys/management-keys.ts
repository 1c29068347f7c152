import { randomBytes } from 'node:crypto'
import type { InstallDb } from '../../../database/app-db.ts'
import { Failure } from '../../../pipeline/failure.ts'
import { type Place, sameHash, type Vault } from '../../../vault/vault.ts'
import {
  findManagementKey,
  insertManagementKey,
  type ManagementKeyRow,
  noteManagementKeyUse,
} from './management-keys.sql.ts'

/** How exact `lastUsedAt` is. */
const noteUseSeconds = 60

export interface WantedManagementKey {
  readonly name: string
  /** Undefined: every app. */
  readonly appIds?: readonly string[]
  readonly expiresAt?: number
}

function secretPlace(key: string): Place {
  return { appId: '', table: 'management_keys', field: key }
}

/** The secret is shown once: only its hash is kept. */
export async function createManagementKey(
  db: InstallDb,
  vault: Vault,
  { name, appIds, expiresAt }: WantedManagementKey,
  now: number,
): Promise<{ key: string; secret: string }> {
  const key = randomBytes(12).toString('hex')
  const secret = randomBytes(24).toString('hex')
  await insertManagementKey(db, {
    key,
    secretHash: vault.hash(secret, secretPlace(key)),
    name,
    appIds: appIds ?? null,
    createdAt: now,
    expiresAt: expiresAt ?? null,
  })
  return { key, secret }
}

/** Throws unless the pair is right and in force; a revoked key and a wrong one look alike. */
export async function checkManagementKey(
  db: InstallDb,
  vault: Vault,
  credentials: { readonly key: string | undefined; readonly secret: string | undefined },
  now: number,
): Promise<ManagementKeyRow> {
  const { key, secret } = credentials
  if (!key || !secret) throw new Failure('AUTH_ERR_EMPTY_AUTH_HEADER')
  const found = await findManagementKey(db, key)
  // Hashed before it is known whether the key exists: both answers take the same time.
  const hash = vault.hash(secret, secretPlace(key))
  if (!found || !sameHash(hash, found.secretHash) || stateOf(found, now) !== 'active') {
    throw new Failure('AUTH_ERR_MANAGEMENT_KEY_NOT_FOUND')
  }
  const olderThan = now - noteUseSeconds
  if (found.lastUsedAt === null || found.lastUsedAt < olderThan) {
    await noteManagementKeyUse(db, key, now, olderThan)
  }
  return found
}

export function stateOf(
  { revokedAt, expiresAt }: Pick<ManagementKeyRow, 'revokedAt' | 'expiresAt'>,
  now: number,
): 'active' | 'expired' | 'revoked' {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active'
}
