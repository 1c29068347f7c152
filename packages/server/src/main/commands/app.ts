import type { Region } from '@chorale/contract/apps'
import { Command, Option } from 'commander'
import { appSeeds } from '../../api.ts'
import { writeAuditLog } from '../../database/audit-log.ts'
import { archiveAppNow, createApp, listAllApps } from '../../domain/apps/index.ts'
import { openTransactions } from '../../outbox/unit-of-work.ts'
import { unixSeconds } from '../clock.ts'
import { holdCommand, releaseCommand } from './app-hold.ts'
import { CommandError, date, print, table, withTools } from './output.ts'

export function appCommand(): Command {
  return new Command('app')
    .description('Apps (tenants) of this install.')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(holdCommand())
    .addCommand(releaseCommand())
    .addCommand(deleteCommand())
}

function createCommand(): Command {
  const region = new Option('--region <region>', 'where it lives').choices(['us', 'eu', 'in'])
  return new Command('create')
    .description('Create an app with a full-access and an auth-only API key.')
    .requiredOption('--name <name>', 'display name')
    .addOption(region.default('us'))
    .option('--app-id <appId>', 'the id of an app that moves here')
    .option('--api-key <key>', 'its full-access key')
    .option('--auth-only-key <key>', 'its auth-only key')
    .option('--json', 'print JSON')
    .action(async ({ name, region, json, ...given }: CreateOptions) => {
      const identity = identityIn(given)
      const created = await withTools(({ database, vault }) =>
        database.transaction(async (db) => {
          const wanted = { name, region, identity }
          const result = await createApp({ db }, vault, appSeeds, wanted, unixSeconds())
          await audit(db, result.row.appId, 'app create', { name, region })
          return result
        }),
      )
      const { row, keys } = created
      const apiKeys = { fullAccess: keys.fullAccess.apiKey, authOnly: keys.authOnly.apiKey }
      print(json, { appId: row.appId, region, apiKeys }, () =>
        table(
          ['App', 'Region', 'Full access key', 'Auth only key'],
          [[row.appId, region, apiKeys.fullAccess, apiKeys.authOnly]],
        ),
      )
    })
}

interface CreateOptions extends GivenIdentity {
  readonly name: string
  readonly region: Region
  readonly json?: true
}

interface GivenIdentity {
  readonly appId?: string
  readonly apiKey?: string
  readonly authOnlyKey?: string
}

/** An id is part of host names and of subjects of NATS. */
function identityIn({ appId, apiKey, authOnlyKey }: GivenIdentity) {
  if (appId !== undefined && !/^[a-z0-9]{1,32}$/.test(appId)) {
    throw new CommandError('--app-id: use up to 32 characters: a to z and 0 to 9.')
  }
  for (const [option, key] of [
    ['--api-key', apiKey],
    ['--auth-only-key', authOnlyKey],
  ]) {
    if (key !== undefined && !/^[A-Za-z0-9_-]{20,100}$/.test(key)) {
      throw new CommandError(`${option}: use 20 to 100 letters, digits, - and _.`)
    }
  }
  if (apiKey !== undefined && apiKey === authOnlyKey) {
    throw new CommandError('--auth-only-key: use another key than --api-key.')
  }
  return {
    ...(appId !== undefined && { appId }),
    ...(apiKey !== undefined && { fullAccess: apiKey }),
    ...(authOnlyKey !== undefined && { authOnly: authOnlyKey }),
  }
}

function listCommand(): Command {
  return new Command('list')
    .description('List the apps.')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const apps = await withTools(({ database: { db } }) => listAllApps({ db }))
      print(json, apps, () =>
        table(
          ['App', 'Name', 'Region', 'Created', 'Held since'],
          apps.map(({ appId, name, region, createdAt, heldAt }) => [
            ...[appId, name, region, date(createdAt)],
            heldAt === null ? '' : date(heldAt),
          ]),
        ),
      )
    })
}

function deleteCommand(): Command {
  return new Command('delete')
    .description('Archive an app: it answers nothing from now on, and is gone after 30 days.')
    .argument('<appId>')
    .option('--json', 'print JSON')
    .action(async (appId: string, { json }: { json?: true }) => {
      const deleteAt = await withTools(({ database }) => {
        const begin = database.transaction
        // A sweeper of the service publishes the event.
        const onCommit = () => undefined
        return openTransactions({ begin, onCommit, clock: unixSeconds }).inApp(
          appId,
          async (ctx) => {
            const at = await archiveAppNow(ctx)
            if (at !== undefined) await audit(ctx.db.db, appId, 'app delete', { appId })
            return at
          },
        )
      })
      if (deleteAt === undefined) throw new CommandError(`There is no app ${appId}.`)
      print(
        json,
        { appId, scheduledToDeleteAt: deleteAt },
        () => `${appId} is archived and will be deleted at ${date(deleteAt)}.`,
      )
    })
}

function audit(
  db: Parameters<typeof writeAuditLog>[0],
  appId: string,
  operation: string,
  input: object,
): Promise<void> {
  const entry = { appId, at: unixSeconds(), caller: 'cli', operation, input, requestId: '' }
  return writeAuditLog(db, entry)
}
