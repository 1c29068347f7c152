import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { checkArchive, importArchive, requireArchive } from '../../../archive/import.ts'
import { identitiesIn } from '../../../archive/part-reader.ts'
import { progressLine } from '../move/progress.ts'
import { print, table } from '../output.ts'
import { type AppOptions, appOptions, managementOf, sideOf } from './app-options.ts'
import { rowsOf } from './export.ts'

interface Options extends AppOptions {
  readonly from: string
  readonly identity?: string
  readonly state: string
}

/** Writes by the import operations of the REST interface alone. */
export function importCommand(): Command {
  return appOptions(new Command('import'))
    .description('Bring along what an archive has; run again, it goes on.')
    .requiredOption('--from <folder>', 'the archive')
    .option('--identity <file>', 'the secret key of age, if it is encrypted')
    .option('--state <file>', 'what the import remembers', 'chorale-import.json')
    .action(async (options: Options) => {
      const { counts, left } = await importArchive({
        to: sideOf(options),
        folder: options.from,
        state: options.state,
        identities: identitiesOf(options),
        management: managementOf(options),
        progress: progressLine(),
      })
      print(options.json, { counts, left }, () =>
        [
          table(['Imported', 'Lines'], rowsOf(counts)),
          ...left.map(({ kind, id, why }) => `not imported: ${kind} ${id}: ${why}`),
          `${left.length} items were refused.`,
        ].join('\n'),
      )
      if (left.length > 0) process.exitCode = 1
    })
}

/** Needs no app. */
export function checkArchiveCommand(): Command {
  return new Command('check-archive')
    .description('Check every line of an archive, and import nothing.')
    .requiredOption('--from <folder>', 'the archive')
    .option('--identity <file>', 'the secret key of age, if it is encrypted')
    .option('--json', 'print JSON')
    .action(async (options: Pick<Options, 'from' | 'identity' | 'json'>) => {
      const manifest = requireArchive(options.from)
      const identities = identitiesOf(options)
      const progress = progressLine()
      const lines = await checkArchive({ folder: options.from, identities, progress }, manifest)
      const { counts } = manifest
      print(options.json, { lines, counts }, () =>
        [table(['Kind', 'Lines'], rowsOf(counts)), `${lines} lines are whole.`].join('\n'),
      )
    })
}

function identitiesOf({ identity }: Pick<Options, 'identity'>): string[] {
  return identity === undefined ? [] : identitiesIn(readFileSync(identity, 'utf8'))
}
