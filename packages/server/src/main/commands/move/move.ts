import { Command, Option } from 'commander'
import { compareSides, kinds } from '../../../move/compare.ts'
import { planMove } from '../../../move/plan.ts'
import { runMove } from '../../../move/run.ts'
import { compareSample } from '../../../move/sample.ts'
import type { Difference } from '../../../move/spool.ts'
import type { Leftover } from '../../../move/state.ts'
import { print, table } from '../output.ts'
import { backCommand, cutOverCommand, followCommand, handOverCommand } from './live.ts'
import { progressLine } from './progress.ts'
import {
  filesIn,
  leftLine,
  type Options,
  openEars,
  openMove,
  openSides,
  sidesOf,
  webhooksOf,
} from './sides.ts'

/** Reaches both services by their REST interface alone: no database is opened. */
export function moveCommand(): Command {
  return new Command('move')
    .description('Move an app from another service that speaks this interface.')
    .addCommand(planCommand())
    .addCommand(runCommand())
    .addCommand(followCommand())
    .addCommand(cutOverCommand())
    .addCommand(handOverCommand())
    .addCommand(compareCommand())
    .addCommand(backCommand())
}

function planCommand(): Command {
  return sidesOf(new Command('plan'))
    .description('Say what there is to move, what will not fit, and about how long it takes.')
    .action(async (options: Options) => {
      const { remarks, hours, ...counts } = await planMove(
        openSides(options).from,
        filesIn(options),
        progressLine(),
      )
      const rows = Object.entries(counts).map(([what, count]) => [what, String(count)])
      print(options.json, { ...counts, hours, remarks }, () =>
        [table(['There', 'About'], rows), `${hours.toFixed(1)} hours.`, ...remarks].join('\n'),
      )
    })
}

function runCommand(): Command {
  return webhooksOf(sidesOf(new Command('run')))
    .description('Bring everything over; run again, it goes on where it was interrupted.')
    .option('--auth-tokens', 'with the auth tokens of users; a call more for each')
    .action(async (options: Options) => {
      const moving = openMove(options)
      await using _ = await openEars(options, moving)
      const { from, to } = moving
      const { moved, left } = await runMove(moving)
      const rows = Object.entries(moved).map(([what, count]) => [what, String(count)])
      print(options.json, { moved, left, from: from.tally, to: to.tally }, () =>
        [table(['Moved', 'Items'], rows), ...left.map(leftLine), leftSummary(left)].join('\n'),
      )
    })
}

function leftSummary(left: readonly Leftover[]): string {
  if (left.length === 0) return 'Nothing was left behind.'
  const kinds = [...Map.groupBy(left, ({ kind }) => kind)]
  const counts = kinds.map(([kind, some]) => `${some.length} ${kind}`)
  return `${left.length} items were left behind: ${counts.join(', ')}.`
}

interface CompareOptions {
  readonly only?: readonly (typeof kinds)[number][]
  readonly sample?: string
}

function compareCommand(): Command {
  return sidesOf(new Command('compare'))
    .description('Compare both sides, and name what differs. Fails where anything does.')
    .addOption(new Option('--only <kinds...>', 'what is compared').choices(kinds))
    .option('--sample <items>', 'only so many of each kind, taken by chance')
    .action(async (options: Options & CompareOptions) => {
      const { from, to } = openSides(options)
      const left = leftFilesIn(options)
      const files = linksIn(options, left)
      const differences: Difference[] = []
      const comparing = {
        from,
        to,
        files,
        spool: `${options.state}.compare`,
        kinds: options.only ?? kinds,
        progress: progressLine(),
        found(difference: Difference) {
          if (differences.length < maxNamed) differences.push(difference)
        },
      }
      const { compared, differing } =
        options.sample === undefined
          ? await compareSides(comparing)
          : await compareSample(comparing, Number(options.sample))
      print(options.json, { compared, differing, differences, left }, () =>
        [
          ...differences.map(lineOf),
          ...left.map(leftLine),
          ...(left.length > 0 ? [`${left.length} files stay links.`] : []),
          `${differing} of ${compared} differ.`,
        ].join('\n'),
      )
      if (differing > 0) process.exitCode = 1
    })
}

/** Files that the move could not bring, and has said so: they stay links, but are known. */
function leftFilesIn(options: Options): readonly Leftover[] {
  const { hosts } = filesIn(options)
  const leftovers = hosts ? openMove(options).state.leftovers() : []
  return leftovers.filter(({ kind }) => kind === 'files')
}

function linksIn(options: Options, left: readonly Leftover[]) {
  const { hosts } = filesIn(options)
  const byMessage = Map.groupBy(left, ({ id }) => id)
  const known = new Map([...byMessage].map(([id, some]) => [id, some.length] as const))
  return hosts && { hosts, known }
}

const maxNamed = 10_000

function lineOf({ kind, id, what, fields = [] }: Difference): string {
  return `${kind} ${id}: ${what}${fields.length > 0 ? ` in ${fields.join(', ')}` : ''}`
}
