import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Command } from 'commander'
import { markOf, moveBack } from '../../../move/back.ts'
import { cutOver, followMove } from '../../../move/follow.ts'
import { Given } from '../../../move/given.ts'
import { handOver } from '../../../move/hand-over.ts'
import { PlainError } from '../../../plain-error.ts'
import { print } from '../output.ts'
import {
  leftLine,
  type Options,
  openEars,
  openMove,
  openSides,
  sidesOf,
  webhooksOf,
} from './sides.ts'

export function followCommand(): Command {
  return webhooksOf(sidesOf(new Command('follow')))
    .description('Keep up with what is written on the old side, until it is stopped.')
    .option('--every <seconds>', 'how often it looks', '2')
    .option('--for <seconds>', 'how long; until it is stopped, if it is not said')
    .action(async (options: Options & { readonly every: string; readonly for?: string }) => {
      const moving = openMove(options)
      await using ears = await openEars(options, moving)
      const stop = new AbortController()
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort())
      if (options.for !== undefined)
        setTimeout(() => stop.abort(), Number(options.for) * 1000).unref()
      const lags: number[] = []
      let rounds = 0
      await followMove(moving, {
        pauseMs: Number(options.every) * 1000,
        signal: stop.signal,
        heard: ears.heard,
        beside: { ...moving, ...openSides({ ...options, parallel: callsBeside }) },
        woken: ears.woken,
        told(messages, lagSeconds) {
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
const callsBeside = '3'

const settingsToChange = [
  'the address in your servers, pages and phones, or the DNS name',
  'webhooks: create them here, with their triggers',
  'push: give the credentials of FCM and APNs here',
  'passwords of groups that have one',
]

export function cutOverCommand(): Command {
  return webhooksOf(sidesOf(new Command('cut-over')))
    .description('Catch up for the last time, when nothing is written on the old side any more.')
    .option('--days <days>', 'messages of so many days are read again, with reactions', '30')
    .option('--auth-tokens', 'with the auth tokens of users; a call more for each')
    .action(async (options: Options & { readonly days: string }) => {
      const moving = openMove(options)
      await using ears = await openEars(options, moving)
      const { messages } = await cutOver(moving, ears.heard, Number(options.days))
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

export function handOverCommand(): Command {
  return webhooksOf(sidesOf(new Command('hand-over')))
    .description('Stop writes on the old side for a moment, bring the rest over, and switch.')
    .requiredOption('--hold <command>', 'stops writes on the old side')
    .requiredOption('--release <command>', 'undoes that, if something fails')
    .requiredOption('--switch <command>', 'sends everybody to the new side')
    .action(async (options: Options & HandOverCommands) => {
      const moving = openMove(options)
      await using ears = await openEars(options, moving)
      const { heldMs } = await handOver(moving, {
        heard: ears.heard,
        hold: () => runCommand('--hold', options.hold),
        release: () => runCommand('--release', options.release),
        switchOver: () => runCommand('--switch', options.switch),
        told: (messages) => moving.progress('hand-over', messages),
      })
      const left = moving.state.leftovers()
      print(options.json, { heldMs: Math.round(heldMs), left }, () =>
        [...left.map(leftLine), `Writes were refused for ${(heldMs / 1000).toFixed(1)} s.`].join(
          '\n',
        ),
      )
    })
}

interface HandOverCommands {
  readonly hold: string
  readonly release: string
  readonly switch: string
}

/** As a shell runs it; what it says is for whoever looks on. */
async function runCommand(option: string, command: string): Promise<void> {
  const child = spawn(command, { shell: true, stdio: ['ignore', process.stderr, 'inherit'] })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new PlainError(`The command of ${option} ended with ${code}.`)
}

export function backCommand(): Command {
  return sidesOf(new Command('back'))
    .description('Give the old side what was written on the new one since the cut-over.')
    .action(async (options: Options) => {
      const moving = openMove(options)
      const given = new Given(`${options.state}.given`, Number(markOf(moving)))
      const { messages } = await moveBack(moving, given)
      const left = moving.state.leftovers()
      print(options.json, { messages, left }, () =>
        [...left.map(leftLine), `The old side has ${messages} messages more.`].join('\n'),
      )
    })
}
