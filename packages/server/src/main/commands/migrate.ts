import { Command } from 'commander'
import { readConfig } from '../../config.ts'
import { migrate } from '../../database/migrator.ts'
import { sessionUrlOf } from '../configured-database.ts'
import { print } from './output.ts'

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('Bring the database to this release. Safe to repeat, and while others serve.')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const migrations = await migrate(sessionUrlOf(readConfig(process.env)))
      print(json, { migrations }, () =>
        migrations.length === 0 ? 'Nothing to do.' : `Ran ${migrations.join(', ')}.`,
      )
    })
}
