import Table from 'cli-table3'
import type { Config } from '../../config.ts'
import { readConfig } from '../../config.ts'
import type { Database } from '../../database/pool.ts'
import { PlainError } from '../../plain-error.ts'
import type { Vault } from '../../vault/vault.ts'
import { openConfiguredDatabase } from '../configured-database.ts'
import { openConfiguredVault } from '../configured-vault.ts'
import { openLog } from '../log.ts'

/** A mistake in a command; its message says what to do. */
export class CommandError extends PlainError {}

export interface Tools {
  readonly config: Config
  readonly database: Database
  readonly vault: Vault
}

/** Opens what a command needs, and closes it after. */
export async function withTools<T>(
  work: (tools: Tools) => Promise<T>,
  changes: Partial<Config> = {},
): Promise<T> {
  const config = { ...readConfig(process.env), ...changes }
  await using database = openConfiguredDatabase(config, openLog('warn'))
  return await work({ config, database, vault: await openConfiguredVault(config, database) })
}

/** For programs: one JSON value on standard output. For people: a table or a line. */
export function print(json: boolean | undefined, value: unknown, forPeople: () => string): void {
  console.log(json ? JSON.stringify(value) : forPeople())
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const result = new Table({ head: [...head], style: { head: [], border: [] } })
  for (const row of rows) result.push([...row])
  return result.toString()
}

export function date(unixSeconds: number): string {
  return new Date(unixSeconds * 1000).toISOString().replace('.000Z', 'Z')
}
