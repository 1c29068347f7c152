import { Command, Option } from 'commander'
import { exportArchive } from '../../../archive/export.ts'
import type { Scope } from '../../../archive/manifest.ts'
import { PlainError } from '../../../plain-error.ts'
import { unixSeconds } from '../../clock.ts'
import { progressLine } from '../move/progress.ts'
import { print, table } from '../output.ts'
import { type AppOptions, appOptions, managementOf, sideOf } from './app-options.ts'

interface Options extends AppOptions {
  readonly to: string
  readonly user?: string
  readonly conversation?: string
  readonly recipient: readonly string[]
  readonly authTokens?: true
  readonly lines: string
}

/** Reads an app by its REST interface alone: no database is opened. */
export function exportCommand(): Command {
  return appOptions(new Command('export'))
    .description('Write an archive of an app, a user or a conversation; run again, it goes on.')
    .requiredOption('--to <folder>', 'where it is written')
    .option('--user <uid>', 'only what is stored of one user, to be read')
    .option('--conversation <id>', 'only this one: group_<guid> or <uid>_user_<uid>')
    .addOption(
      new Option('--recipient <key>', 'encrypt for this public key of age; may be repeated')
        .argParser((key: string, before: readonly string[]) => [...before, key])
        .default([]),
    )
    .option('--auth-tokens', 'with the auth tokens of users; a call more for each')
    .addOption(new Option('--lines <count>', 'of a part').default('50000').hideHelp())
    .action(async (options: Options) => {
      const { endedAt, startedAt, counts, parts } = await exportArchive({
        from: sideOf(options),
        folder: options.to,
        scope: scopeOf(options),
        recipients: options.recipient.map(checkedRecipient),
        withTokens: options.authTokens === true,
        management: managementOf(options),
        linesPerPart: Number(options.lines),
        clock: unixSeconds,
        progress: progressLine(),
      })
      const bytes = parts.reduce((sum, part) => sum + part.bytes, 0)
      const seconds = (endedAt ?? startedAt) - startedAt
      print(options.json, { counts, parts: parts.length, bytes, seconds }, () =>
        [
          table(['Exported', 'Lines'], rowsOf(counts)),
          `${parts.length} parts, ${(bytes / 1e6).toFixed(1)} MB, in ${options.to}`,
        ].join('\n'),
      )
    })
}

export function rowsOf(counts: Readonly<Record<string, number>>): string[][] {
  return Object.entries(counts).map(([kind, count]) => [kind, String(count)])
}

function scopeOf({ user, conversation }: Options): Scope {
  if (user !== undefined && conversation !== undefined) {
    throw new PlainError('Name --user or --conversation, and not both.')
  }
  if (user !== undefined) return { of: 'user', uid: user.toLowerCase() }
  if (conversation !== undefined) {
    return { of: 'conversation', conversationId: conversation.toLowerCase() }
  }
  return { of: 'app' }
}

function checkedRecipient(key: string): string {
  if (/^age1[0-9a-z]+$/.test(key)) return key
  throw new PlainError('--recipient: use a public key as `age-keygen` prints it: age1...')
}
