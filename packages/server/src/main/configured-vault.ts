import { type Config, ConfigError } from '../config.ts'
import { openKeyring, WrongMasterKey } from '../database/keyring.ts'
import type { Database } from '../database/pool.ts'
import type { Vault } from '../vault/vault.ts'

/** Throws when the master key is not that of the database. */
export async function openConfiguredVault(config: Config, { db }: Database): Promise<Vault> {
  const keys = { current: config.masterKey, previous: config.previousMasterKey }
  return openKeyring(db, keys).catch((error: unknown) => {
    throw error instanceof WrongMasterKey ? new ConfigError(error.message) : error
  })
}
