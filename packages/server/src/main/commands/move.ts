import { Command, Option } from 'commander'
import { compareSides, kinds } from '../../move/compare.ts'
import { cutOver, followMove } from '../../move/follow.ts'
import type { Moving } from '../../move/moving.ts'
import { runMove } from '../../move/run.ts'
import { Side } from '../../move/side.ts'
import type { Difference } from '../../move/spool.ts'
import { MoveState } from '../../move/state.ts'
import { PlainError } from '../../plain-error.ts'
import { progressLine } from './move-progress.ts'
import { print, table } from './output.ts'

/** Reaches both services by their REST interface alone: no database is opened. */
export function moveCommand(): Command {
  return new Command('move')
    .description('Move an app from another service that speaks this interface.')
    .addCommand(runCommand())
    .addCommand(followCommand())
    .addCommand(cutOverCommand())
    .addCommand(compareCommand())
}

interface Options {
  readonly fromUrl: string
  readonly fromApp: string
  readonly fromKey: string
  readonly toUrl: string
  readonly toApp: string
  readonly toKey: string
  readonly state: string
  readonly parallel: string
  readonly authTokens?: true
  readonly json?: true
}

function sidesOf(command: Command): Command {
  const side = (name: 'from' | 'to', which: string) =>
    command
      .addOption(
        required(
          `--${name}-url <url>`,
          `${which}, up to the version: https://host/v3`,
          `${name}_URL`,
        ),
      )
      .addOption(required(`--${name}-app <appId>`, 'its app', `${name}_APP`))
      .addOption(required(`--${name}-key <key>`, 'a full-access key of it', `${name}_KEY`))
  side('from', 'the service that the app leaves')
  side('to', 'the service that it comes to')
  return command
    .option('--state <file>', 'what the move remembers', 'chorale-move.json')
    .option('--parallel <calls>', 'calls to each side at the same time', '8')
    .option('--json', 'print JSON')
}

/** A key in the environment is not seen in the list of processes. */
function required(flags: string, description: string, name: string): Option {
  return new Option(flags, description)
    .env(`CHORALE_MOVE_${name.toUpperCase()}`)
    .makeOptionMandatory()
}

function openSides({ fromUrl, fromApp, fromKey, toUrl, toApp, toKey, parallel }: Options) {
  const calls = Number(parallel)
  if (!Number.isInteger(calls) || calls < 1 || calls > 64) {
    throw new PlainError('--parallel: use a number from 1 to 64.')
  }
  const trimmed = (url: string) => url.replace(/\/+$/, '')
  return {
    from: new Side({ url: trimmed(fromUrl), appId: fromApp, apiKey: fromKey, parallel: calls }),
    to: new Side({ url: trimmed(toUrl), appId: toApp, apiKey: toKey, parallel: calls }),
  }
}

function runCommand(): Command {
  return sidesOf(new Command('run'))
    .description('Bring everything over; run again, it goes on where it was interrupted.')
    .option('--auth-tokens', 'with the auth tokens of users; a call more for each')
    .action(async (options: Options) => {
      const moving = openMove(options)
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

function openMove(options: Options): Moving {
  const { from, to } = openSides(options)
  const state = MoveState.open(options.state, nameOf(from), nameOf(to))
  return { from, to, state, withTokens: options.authTokens === true, progress: progressLine() }
}

function followCommand(): Command {
  return sidesOf(new Command('follow'))
    .description('Keep up with what is written on the old side, until it is stopped.')
    .option('--every <seconds>', 'how often it looks', '2')
    .option('--for <seconds>', 'how long; until it is stopped, if it is not said')
    .action(async (options: Options & { readonly every: string; readonly for?: string }) => {
      const moving = openMove(options)
      const stop = new AbortController()
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort())
      if (options.for !== undefined)
        setTimeout(() => stop.abort(), Number(options.for) * 1000).unref()
      const lags: number[] = []
      let rounds = 0
      await followMove(moving, {
        pauseMs: Number(options.every) * 1000,
        signal: stop.signal,
        heard(messages, lagSeconds) {
          rounds += 1
          if (lagSeconds !== undefined) lags.push(lagSeconds)
          if (lags.length > maxLags) lags.shift()
          moving.progress('follow', messages)
        },
      })
      const lagSeconds = lags.toSorted((a, b) => a - b)[Math.floor(lags.length * 0.99)] ?? 0
      const left = moving.state.leftovers()
      print(options.json, { rounds, lagSeconds, left }, () =>
        [...left.map(leftLine), `${rounds} rounds; lag p99 ${lagSeconds.toFixed(1)} s.`].join('\n'),
      )
    })
}

const maxLags = 10_000

const settingsToChange = [
  'the address in your servers, pages and phones, or the DNS name',
  'webhooks: create them here, with their triggers',
  'push: give the credentials of FCM and APNs here',
  'passwords of groups that have one',
]

function cutOverCommand(): Command {
  return sidesOf(new Command('cut-over'))
    .description('Catch up for the last time, when nothing is written on the old side any more.')
    .option('--days <days>', 'messages of so many days are read again, with reactions', '30')
    .option('--auth-tokens', 'with the auth tokens of users; a call more for each')
    .action(async (options: Options & { readonly days: string }) => {
      const moving = openMove(options)
      const { messages } = await cutOver(moving, Number(options.days))
      const left = moving.state.leftovers()
      print(options.json, { messages, left, change: settingsToChange }, () =>
        [
          ...left.map(leftLine),
          `${messages} messages were read again.`,
          'Run `chorale move compare`. Then change:',
          ...settingsToChange.map((one) => `- ${one}`),
        ].join('\n'),
      )
    })
}

function nameOf({ url, appId }: Side): string {
  return `${appId} at ${url}`
}

function leftLine({ kind, id, why }: { kind: string; id: string; why: string }): string {
  return `not moved: ${kind} ${id}: ${why}`
}

function leftSummary(count: number): string {
  return count === 0 ? 'Nothing was left behind.' : `${count} items were left behind.`
}

function compareCommand(): Command {
  return sidesOf(new Command('compare'))
    .description('Compare both sides, and name what differs. Fails where anything does.')
    .addOption(new Option('--only <kinds...>', 'what is compared').choices(kinds))
    .action(async (options: Options & { readonly only?: readonly (typeof kinds)[number][] }) => {
      const { from, to } = openSides(options)
      const differences: Difference[] = []
      const { compared, differing } = await compareSides({
        from,
        to,
        spool: `${options.state}.compare`,
        kinds: options.only ?? kinds,
        progress: progressLine(),
        found(difference) {
          if (differences.length < maxNamed) differences.push(difference)
        },
      })
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
