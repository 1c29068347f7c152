import { sql } from 'kysely'
import { placeIn, sealedColumns } from '../vault/sealed-columns.ts'
import { keyIdIn, keyIdOf, lookupKeyOf, openVault, type Vault } from '../vault/vault.ts'
import type { Db } from './db.ts'

/** The master key does not open what the database holds. Its message is for the operator. */
export class WrongMasterKey extends Error {}

export interface MasterKeys {
  readonly current: Buffer
  readonly previous?: Buffer | undefined
}

const lookupPlace = { appId: '', table: 'vault_keys', field: 'lookup_key_encrypted', row: '' }

/** The vault of this database. Throws `WrongMasterKey` unless the keys open what is in it. */
export async function openKeyring(db: Db, { current, previous }: MasterKeys): Promise<Vault> {
  const bare = openVault(current, { previous })
  const sealed = (await findLookupKey(db)) ?? (await writeLookupKey(db, bare, current))
  const lookupKey = Buffer.from(opened(bare, sealed, { current, previous }), 'base64')
  return openVault(current, { previous, lookupKey })
}

/** From now on the previous master key opens nothing here. */
export async function resealLookupKey(db: Db, vault: Vault): Promise<void> {
  const sealed = await findLookupKey(db)
  if (!sealed) return
  const again = vault.seal(vault.open(sealed, lookupPlace), lookupPlace)
  await sql`update vault_keys set lookup_key_encrypted = ${again}`.execute(db)
}

async function findLookupKey(db: Db): Promise<Buffer | undefined> {
  const { rows } = await sql<{ sealed: Buffer }>`
    select lookup_key_encrypted as sealed from vault_keys`.execute(db)
  return rows[0]?.sealed
}

/** The first process with this database decides; of two at the same time, one. */
async function writeLookupKey(db: Db, vault: Vault, masterKey: Buffer): Promise<Buffer> {
  await requireSampleOpens(db, vault)
  const sealed = vault.seal(lookupKeyOf(masterKey).toString('base64'), lookupPlace)
  await sql`
    insert into vault_keys (lookup_key_encrypted) values (${sealed})
    on conflict do nothing`.execute(db)
  return (await findLookupKey(db)) ?? sealed
}

/** A database from before this check has API keys, and nothing else that says whose they are. */
async function requireSampleOpens(db: Db, vault: Vault): Promise<void> {
  const { rows } = await sql<{ appId: string; hash: Buffer; sealed: Buffer }>`
    select app_id as "appId", key_hash as hash, key_encrypted as sealed
    from api_keys limit 1`.execute(db)
  const [sample] = rows
  if (!sample) return
  try {
    vault.open(sample.sealed, placeIn(sealedColumns.apiKey, sample.appId, sample.hash))
  } catch {
    throw new WrongMasterKey('CHORALE_MASTER_KEY does not open the secrets of this database.')
  }
}

function opened(vault: Vault, sealed: Buffer, { current, previous }: MasterKeys): string {
  try {
    return vault.open(sealed, lookupPlace)
  } catch {
    const given = [current, ...(previous ? [previous] : [])].map(keyIdOf).join(' and ')
    throw new WrongMasterKey(
      `CHORALE_MASTER_KEY is not the key of this database: that has the id ${keyIdIn(sealed)}, ` +
        `given is ${given}. While it is changed, CHORALE_MASTER_KEY_PREVIOUS holds the other one.`,
    )
  }
}
