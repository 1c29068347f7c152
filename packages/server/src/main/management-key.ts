import { Command } from 'commander'
import { writeAuditLog } from '../database/audit-log.ts'
import { createManagementKey } from '../domain/apps/index.ts'
import { unixSeconds } from './assemble.ts'
import { print, withTools } from './output.ts'

export function managementKeyCommand(): Command {
  return new Command('management-key').description('Credentials of the management API.').addCommand(
    new Command('create')
      .description('Create a pair. The secret is shown this once: only its hash is kept.')
      .requiredOption('--name <name>', 'whose it is')
      .option('--json', 'print JSON')
      .action(async ({ name, json }: { name: string; json?: true }) => {
        const pair = await withTools(({ database, vault }) =>
          database.transaction(async (db) => {
            const now = unixSeconds()
            const made = await createManagementKey({ db }, vault, name, now)
            await writeAuditLog(db, {
              appId: '',
              at: now,
              caller: 'cli',
              operation: 'management-key create',
              input: { name, key: made.key },
              requestId: '',
            })
            return made
          }),
        )
        print(json, pair, () => `key:    ${pair.key}\nsecret: ${pair.secret}`)
      }),
  )
}
