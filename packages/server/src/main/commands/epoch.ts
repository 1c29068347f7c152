import { Command, InvalidArgumentError } from 'commander'
import { connectNow } from '../../bus/bus.ts'
import { openEventStream } from '../../bus/event-stream.ts'
import { openMarks } from '../../bus/marks.ts'
import { beginNewEpoch } from '../../outbox/epochs.ts'
import { openLog } from '../log.ts'
import { natsAccessOf, streamOptions } from '../nats.ts'
import { CommandError, print, withTools } from './output.ts'

export function epochCommand(): Command {
  return new Command('epoch')
    .description('After a restore: what was used before must not be used again.')
    .addCommand(newCommand())
}

function newCommand(): Command {
  return new Command('new')
    .description('Move every id far ahead: NATS was restored with the database, or lost.')
    .option('--after <epoch>', 'the highest that was ever in use, if it is known', readNumber, 0)
    .option('--without-nats', 'do not ask NATS which epochs there were')
    .option('--json', 'print JSON')
    .action(async (options: { after: number; withoutNats?: true; json?: true }) => {
      const epoch = await begin(options.after, options.withoutNats ?? false)
      print(options.json, { epoch }, () => `Epoch ${epoch} has begun.`)
    })
}

function begin(past: number, withoutNats: boolean): Promise<number> {
  return withTools(async ({ config, database: { db } }) => {
    if (withoutNats) return beginNewEpoch(db, undefined, past)
    await using bus = await connectNow(natsAccessOf(config, openLog('warn'))).catch(() => {
      throw new CommandError('NATS does not answer: check NATS_URL, or say --without-nats.')
    })
    return await beginNewEpoch(db, openMarks(openEventStream(bus, streamOptions(config))), past)
  })
}

function readNumber(text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 0) return number
  throw new InvalidArgumentError('Use the number of an epoch.')
}
