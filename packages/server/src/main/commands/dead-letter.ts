import { Command, InvalidArgumentError } from 'commander'
import { connectNow } from '../../bus/bus.ts'
import { type DeadLetters, openDeadLetters } from '../../bus/dead-letters.ts'
import { openEventStream } from '../../bus/event-stream.ts'
import { readConfig } from '../../config.ts'
import { openLog } from '../log.ts'
import { natsAccessOf, streamOptions } from '../nats.ts'
import { CommandError, date, print, table } from './output.ts'

const most = 1000

export function deadLettersCommand(): Command {
  return new Command('dead-letters')
    .description('Events that a listener gave up on.')
    .addCommand(listCommand())
    .addCommand(replayCommand())
}

function listCommand(): Command {
  return new Command('list')
    .description(`List them, oldest first, at most ${most}.`)
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const letters = await withLetters((found) => found.list(most))
      print(json, letters, () =>
        table(
          ['Number', 'At', 'App', 'Listener', 'Event', 'Error'],
          letters.map(({ number, at, appId, listener, event, error }) => [
            ...[String(number), date(at), appId, listener, event.name, error],
          ]),
        ),
      )
    })
}

function replayCommand(): Command {
  return new Command('replay')
    .description('Hand one to its listener again, or all of them.')
    .argument('[number]', 'its number in the list', readNumber)
    .option('--all', 'every one in the list')
    .option('--json', 'print JSON')
    .action(async (number: number | undefined, { all, json }: { all?: true; json?: true }) => {
      if ((number === undefined) === (all === undefined)) {
        throw new CommandError('Name one by its number, or say --all (see --help).')
      }
      const replayed = await withLetters((letters) =>
        number === undefined ? replayAll(letters) : replayOne(letters, number),
      )
      print(json, { replayed }, () => `Replayed: ${replayed}.`)
    })
}

async function replayOne(letters: DeadLetters, number: number): Promise<number> {
  if (await letters.replay(number)) return 1
  throw new CommandError(`There is no dead letter ${number}.`)
}

async function replayAll(letters: DeadLetters): Promise<number> {
  let replayed = 0
  for (const { number } of await letters.list(most)) {
    if (await letters.replay(number)) replayed++
  }
  return replayed
}

async function withLetters<T>(work: (letters: DeadLetters) => Promise<T>): Promise<T> {
  const config = readConfig(process.env)
  const access = natsAccessOf(config, openLog('warn'))
  await using bus = await connectNow(access).catch(() => {
    throw new CommandError('NATS does not answer: check NATS_URL.')
  })
  return await work(openDeadLetters(openEventStream(bus, streamOptions(config))))
}

function readNumber(text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && number > 0) return number
  throw new InvalidArgumentError('Use a number from the list.')
}
