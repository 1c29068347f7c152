import { Command, Option } from 'commander'
import { compareSides, kinds } from '../../../move/compare.ts'
import { planMove } from '../../../move/plan.ts'
import { runMove } from '../../../move/run.ts'
import { compareSample } from '../../../move/sample.ts'
import type { Difference } from '../../../move/spool.ts'
import { print, table } from '../output.ts'
import { backCommand, cutOverCommand, followCommand } from './live.ts'
import { progressLine } from './progress.ts'
import {
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
    .addCommand(compareCommand())
    .addCommand(backCommand())
}

function planCommand(): Command {
  return sidesOf(new Command('plan'))
    .description('Say what there is to move, what will not fit, and about how long it takes.')
    .action(async (options: Options) => {
      const { remarks, hours, ...counts } = await planMove(openSides(options).from, progressLine())
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
        [table(['Moved', 'Items'], rows), ...left.map(leftLine), leftSummary(left.length)].join(
          '\n',
        ),
      )
    })
}

function leftSummary(count: number): string {
  return count === 0 ? 'Nothing was left behind.' : `${count} items were left behind.`
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
      const differences: Difference[] = []
      const comparing = {
        from,
        to,
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
      print(options.json, { compared, differing, differences }, () =>
        [...differences.map(lineOf), `${differing} of ${compared} differ.`].join('\n'),
      )
      if (differing > 0) process.exitCode = 1
    })
}

const maxNamed = 10_000

function lineOf({ kind, id, what, fields = [] }: Difference): string {
  return `${kind} ${id}: ${what}${fields.length > 0 ? ` in ${fields.join(', ')}` : ''}`
}
