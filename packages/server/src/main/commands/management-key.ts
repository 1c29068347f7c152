import { Command, InvalidArgumentError } from 'commander'
import type { InstallDb } from '../../database/app-db.ts'
import { writeAuditLog } from '../../database/audit-log.ts'
import {
  createManagementKey,
  listManagementKeys,
  revokeManagementKey,
  stateOf,
  unknownApps,
} from '../../domain/apps/keys/index.ts'
import { unixSeconds } from '../clock.ts'
import { CommandError, date, print, table, withTools } from './output.ts'

export function managementKeyCommand(): Command {
  return new Command('management-key')
    .description('Credentials of the management API.')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand())
}

interface CreateOptions {
  readonly name: string
  readonly app?: readonly string[]
  readonly expires?: number
  readonly json?: true
}

function createCommand(): Command {
  return new Command('create')
    .description('Create a pair. The secret is shown this once: only its hash is kept.')
    .requiredOption('--name <name>', 'whose it is')
    .option('--app <appId>', 'an app it is for, and no other; may be repeated (default: all)', add)
    .option('--expires <when>', 'a time from now (12h, 90d) or a date (2027-01-31)', readTime)
    .option('--json', 'print JSON')
    .action(async ({ name, app: appIds, expires: expiresAt, json }: CreateOptions) => {
      const wanted = { name, ...(appIds && { appIds }), ...(expiresAt && { expiresAt }) }
      const pair = await withTools(({ database, vault }) =>
        database.transaction(async (db) => {
          const unknown = appIds ? await unknownApps({ db }, appIds) : []
          if (unknown.length > 0) throw new CommandError(`There is no app ${unknown.join(', ')}.`)
          const made = await createManagementKey({ db }, vault, wanted, unixSeconds())
          await audit({ db }, 'management-key create', { ...wanted, key: made.key })
          return made
        }),
      )
      print(json, pair, () => `key:    ${pair.key}\nsecret: ${pair.secret}`)
    })
}

function listCommand(): Command {
  return new Command('list')
    .description('List the pairs, those that are expired or revoked too.')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const rows = await withTools(({ database: { db } }) => listManagementKeys({ db }))
      const now = unixSeconds()
      const keys = rows.map((row) => ({ ...row, state: stateOf(row, now) }))
      const when = (at: number | null) => (at === null ? 'never' : date(at))
      print(json, keys, () =>
        table(
          ['Key', 'Name', 'Apps', 'State', 'Created', 'Expires', 'Last used'],
          keys.map(({ key, name, appIds, state, createdAt, expiresAt, lastUsedAt }) => [
            ...[key, name, appIds?.join(', ') ?? 'all', state],
            ...[date(createdAt), when(expiresAt), when(lastUsedAt)],
          ]),
        ),
      )
    })
}

function revokeCommand(): Command {
  return new Command('revoke')
    .description('Revoke a pair: it is refused from now on.')
    .argument('<key>', 'its key, as the list shows it')
    .option('--json', 'print JSON')
    .action(async (key: string, { json }: { json?: true }) => {
      const revoked = await withTools(({ database }) =>
        database.transaction(async (db) => {
          const done = await revokeManagementKey({ db }, key, unixSeconds())
          if (done) await audit({ db }, 'management-key revoke', { key })
          return done
        }),
      )
      if (!revoked) throw new CommandError('There is no such key, or it is revoked already.')
      print(json, { revoked }, () => 'Revoked.')
    })
}

async function audit({ db }: InstallDb, operation: string, input: object): Promise<void> {
  const entry = { appId: '', at: unixSeconds(), caller: 'cli', operation, input, requestId: '' }
  await writeAuditLog(db, entry)
}

function add(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value.toLowerCase()]
}

const secondsIn = { h: 3600, d: 86_400 } as const

function readTime(text: string): number {
  const now = unixSeconds()
  const [, count, unit] = /^(\d{1,6})([hd])$/.exec(text) ?? []
  // The pattern lets no other letter through.
  const seconds = count && Number(count) * secondsIn[unit as 'h' | 'd']
  const day = /^\d{4}-\d\d-\d\d/.test(text) ? Math.floor(Date.parse(text) / 1000) : Number.NaN
  const at = seconds ? now + seconds : day
  if (at > now) return at
  throw new InvalidArgumentError('Use a time from now like 12h or 90d, or a date to come.')
}
