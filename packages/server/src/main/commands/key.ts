import type { ApiKeyScope } from '@chorale/contract/apps'
import { Command, Option } from 'commander'
import { writeAuditLog } from '../../database/audit-log.ts'
import { listKeysOf, makeApiKey, revokeKeyOf } from '../../domain/apps/keys/index.ts'
import { unixSeconds } from '../clock.ts'
import { CommandError, date, print, table, withTools } from './output.ts'

export function keyCommand(): Command {
  return new Command('key')
    .description('API keys of an app.')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand())
}

interface Options {
  readonly app: string
  readonly name: string
  readonly scope: ApiKeyScope
  readonly json?: true
}

function createCommand(): Command {
  const scope = new Option('--scope <scope>', 'what it may do').choices(['fullAccess', 'authOnly'])
  return new Command('create')
    .description('Create an API key.')
    .requiredOption('--app <appId>', 'the app')
    .requiredOption('--name <name>', 'display name')
    .addOption(scope.default('authOnly'))
    .option('--json', 'print JSON')
    .action(async ({ app, name, scope, json }: Options) => {
      const key = await withTools(({ database, vault }) =>
        database.transaction(async (db) => {
          const wanted = { name, scope, createdBy: 'cli' }
          const made = await makeApiKey({ appId: app, db }, vault, wanted, unixSeconds())
          await writeAuditLog(db, entry(app, 'key create', { name, scope }))
          return made
        }),
      )
      print(json, key, () => key.apiKey)
    })
}

function listCommand(): Command {
  return new Command('list')
    .description('List the API keys of an app.')
    .requiredOption('--app <appId>', 'the app')
    .option('--json', 'print JSON')
    .action(async ({ app, json }: Options) => {
      const keys = await withTools(({ database: { db }, vault }) =>
        listKeysOf({ appId: app, db }, vault),
      )
      print(json, keys, () =>
        table(
          ['Key', 'Name', 'Scope', 'Created'],
          keys.map(({ apiKey, name, scope, createdAt }) => [apiKey, name, scope, date(createdAt)]),
        ),
      )
    })
}

function revokeCommand(): Command {
  return new Command('revoke')
    .description('Revoke an API key: no call is accepted with it any more.')
    .argument('<apiKey>')
    .requiredOption('--app <appId>', 'the app')
    .option('--json', 'print JSON')
    .action(async (apiKey: string, { app, json }: Options) => {
      const revoked = await withTools(({ database, vault }) =>
        database.transaction(async (db) => {
          const done = await revokeKeyOf({ appId: app, db }, vault, apiKey)
          if (done) await writeAuditLog(db, entry(app, 'key revoke', { apiKey }))
          return done
        }),
      )
      if (!revoked) throw new CommandError(`The app ${app} has no such key.`)
      print(json, { revoked }, () => 'Revoked.')
    })
}

function entry(appId: string, operation: string, input: object) {
  return { appId, at: unixSeconds(), caller: 'cli', operation, input, requestId: '' }
}
