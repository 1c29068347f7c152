import { Command } from 'commander'
import { writeAuditLog } from '../../database/audit-log.ts'
import { resealLookupKey } from '../../database/keyring.ts'
import { type Census, inspectAll, type Progress, resealAll } from '../../database/resealing.ts'
import { unixSeconds } from '../clock.ts'
import { CommandError, print, type Tools, table, withTools } from './output.ts'

/** A count over a large table takes longer than a call may. */
const patient = { DATABASE_STATEMENT_TIMEOUT_MS: 600_000 }

export function masterKeyCommand(): Command {
  return new Command('master-key')
    .description('The key that all secrets in the database are sealed with.')
    .addCommand(rotateCommand())
    .addCommand(checkCommand())
}

function rotateCommand(): Command {
  return new Command('rotate')
    .description('Seal every secret again, with CHORALE_MASTER_KEY. Safe while others serve.')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const { keyId, resealed, broken } = await withTools(rotate, patient)
      print(json, { keyId, resealed, broken }, () => `Sealed ${resealed} secrets with ${keyId}.`)
      if (broken > 0) throw new CommandError(lostBy(broken))
    })
}

async function rotate({ database, vault }: Tools) {
  const { db } = database
  const done = await resealAll(db, vault, printProgress)
  await database.transaction(async (inside) => {
    // Last: until then a process without the previous key refuses to start.
    await resealLookupKey(inside, vault)
    await writeAuditLog(inside, {
      appId: '',
      at: unixSeconds(),
      caller: 'cli',
      requestId: '',
      operation: 'master-key rotate',
      input: { keyId: vault.keyId, ...done },
    })
  })
  return { keyId: vault.keyId, ...done }
}

/** Beside the answer, which a program may read. */
function printProgress({ table, column, done, total }: Progress): void {
  console.error(`${table}.${column}: ${done} of ${total}`)
}

function checkCommand(): Command {
  return new Command('check')
    .description('Open every secret, and say which key it needs.')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const { keyId, columns } = await withTools(async ({ database, vault }) => {
        return { keyId: vault.keyId, columns: await inspectAll(database.db, vault) }
      }, patient)
      const broken = columns.reduce((sum, column) => sum + column.broken, 0)
      const others = columns.reduce((sum, { byKey }) => sum + othersIn(byKey, keyId), 0)
      print(json, { keyId, others, broken, columns }, () => shown(keyId, columns))
      if (broken > 0) throw new CommandError(lostBy(broken))
    })
}

function othersIn(byKey: Census['byKey'], keyId: string): number {
  const all = Object.values(byKey).reduce((sum, count) => sum + count, 0)
  return all - (byKey[keyId] ?? 0)
}

function shown(keyId: string, columns: readonly Census[]): string {
  return table(
    ['Secrets', `With ${keyId}`, 'With another key', 'That no key opens'],
    columns.map((census) => [
      `${census.table}.${census.column}`,
      ...[census.byKey[keyId] ?? 0, othersIn(census.byKey, keyId), census.broken].map(String),
    ]),
  )
}

function lostBy(count: number): string {
  return `${count} of the secrets are opened by no key that is given: set them again.`
}
