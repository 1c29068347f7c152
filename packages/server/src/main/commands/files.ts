import { Command } from 'commander'
import { findOrphans } from '../../domain/files/index.ts'
import { unixSeconds } from '../clock.ts'
import { openConfiguredEgress } from '../configured-egress.ts'
import { openConfiguredFiles } from '../configured-files.ts'
import { CommandError, print, type Tools, withTools } from './output.ts'

export function filesCommand(): Command {
  return new Command('files')
    .description('Files of messages, in the store of the install.')
    .addCommand(orphansCommand())
}

interface OrphanOptions {
  readonly app?: string
  readonly remove?: true
  readonly json?: true
}

function orphansCommand(): Command {
  return new Command('orphans')
    .description('Find objects that no file of the database has. Safe while others serve.')
    .option('--app <id>', 'of this app only')
    .option('--remove', 'remove them')
    .option('--json', 'print JSON')
    .action(async (options: OrphanOptions) => {
      const orphans = await withTools((tools) => find(tools, options))
      const done = options.remove ? 'Removed' : 'Found'
      const { looked, found, bytes } = orphans
      print(
        options.json,
        orphans,
        () => `Looked at ${looked} objects. ${done} ${found} orphans with ${bytes} bytes.`,
      )
    })
}

async function find({ config, database, vault }: Tools, { app, remove }: OrphanOptions) {
  await using egress = openConfiguredEgress(config)
  const clock = unixSeconds
  using files = await openConfiguredFiles({ config, vault, clock, egress })
  const storage = await files.stores.of({ appId: '', db: database.db }, null)
  if (!storage) throw new CommandError('This install stores no files.')
  const prefix = app === undefined ? '' : `${app}/`
  const before = clock() - config.FILES_UNUSED_SECONDS
  return findOrphans({ database, storage, prefix, before, remove: remove === true })
}
