import { type JetStreamManager, jetstreamManager, type StreamInfo } from '@nats-io/jetstream'
import { readConsumerLag } from '../../../bus/consumer-lag.ts'
import { openMarks } from '../../../bus/marks.ts'
import { listeners as eventListeners } from '../../../listeners.ts'
import { partitions } from '../../../outbox/batches.ts'
import { beginNewEpoch, compareEpochs } from '../../../outbox/epochs.ts'
import { type Check, type Finding, failure, messageOf, ok, warning } from './check.ts'
import { heldLeases } from './database.sql.ts'

const maxLag = 10_000

const nats: Check = {
  name: 'nats',
  looksAt: 'NATS answers, takes the credentials and is 2.9 or later',
  needs: ['setting-values'],
  async run(subject) {
    try {
      const { info } = await subject.connectNats()
      const [major = 0, minor = 0] = (info?.version ?? '').split('.').map(Number)
      if (major < 2 || (major === 2 && minor < 9)) {
        return failure(`NATS is ${info?.version}.`, 'Upgrade it to 2.9 or later.')
      }
      return ok(`NATS ${info?.version}`)
    } catch (error) {
      return unreachable(error)
    }
  },
}

function unreachable(error: unknown): Finding {
  const text = messageOf(error)
  if (/auth/i.test(text)) {
    const remedy =
      'Correct NATS_USER and NATS_PASSWORD, NATS_TOKEN, NATS_NKEY_SEED or NATS_CREDS_FILE.'
    return failure('NATS refuses the credentials.', remedy)
  }
  if (/certificate|tls|ssl/i.test(text)) {
    return failure(`TLS to NATS fails: ${text}.`, 'Correct NATS_CA_FILE, or `tls://` in NATS_URL.')
  }
  return failure('NATS does not answer.', 'Start it, or correct NATS_URL.')
}

const jetStream: Check = {
  name: 'jetstream',
  looksAt: 'JetStream is on for this account',
  needs: ['nats'],
  async run(subject) {
    try {
      const info = await (await jetstreamManager(subject.nats)).getAccountInfo()
      return ok(`${info.streams} streams, ${Math.round(info.storage / 1e6)} MB`)
    } catch (error) {
      const text = `JetStream is not on: ${messageOf(error)}.`
      return failure(text, 'Start nats-server with `-js`, and turn JetStream on for the account.')
    }
  },
}

const streams: Check = {
  name: 'streams',
  looksAt: 'the streams exist, and keep events as long and as often as the settings say',
  needs: ['jetstream'],
  async run(subject) {
    const { stream, config } = subject
    const manager = await jetstreamManager(subject.nats)
    const names = [stream.eventsName, stream.lettersName, stream.marksName]
    const infos = await Promise.all(names.map((name) => findStream(manager, name)))
    const repair = async () => {
      await stream.open()
      return `made or updated ${names.join(', ')}`
    }
    const remedy = 'Run `chorale doctor --repair`, or restart a `chorale serve`.'
    const missing = names.filter((_, index) => !infos[index])
    if (missing.length > 0)
      return failure(`Streams are missing: ${missing.join(', ')}.`, remedy, repair)
    const hours = (infos[0]?.config.max_age ?? 0) / 3.6e12
    const replicas = infos[0]?.config.num_replicas
    if (hours !== config.NATS_STREAM_HOURS || replicas !== config.NATS_STREAM_REPLICAS) {
      const text = `${names[0]} keeps events ${hours} h on ${replicas} servers; the settings say ${config.NATS_STREAM_HOURS} h on ${config.NATS_STREAM_REPLICAS}.`
      // A failure, so that no later check opens the stream, which would change it.
      return failure(text, remedy, repair)
    }
    return ok(`${infos[0]?.state.messages} events kept`)
  },
}

async function findStream(
  manager: JetStreamManager,
  name: string,
): Promise<StreamInfo | undefined> {
  try {
    return await manager.streams.info(name)
  } catch (error) {
    if (/not found/i.test(messageOf(error))) return undefined
    throw error
  }
}

/** Of every listener and partition. */
const leaseNames = eventListeners.flatMap(({ name }) =>
  Array.from({ length: partitions }, (_, partition) => `${name}-${partition}`),
)

const positions: Check = {
  name: 'positions',
  looksAt: 'no listener is ahead of the stream, far behind it, or of another release',
  needs: ['streams'],
  async run(subject) {
    const manager = await jetstreamManager(subject.nats)
    const { eventsName } = subject.stream
    const { state } = await manager.streams.info(eventsName)
    const found = await readConsumerLag(manager, eventsName)
    const remove = (names: readonly string[]) => async () => {
      for (const name of names) await manager.consumers.delete(eventsName, name)
      return `removed ${names.join(', ')}; workers make them again`
    }
    const ahead = found.filter(({ deliveredSeq }) => deliveredSeq > state.last_seq)
    if (ahead.length > 0) {
      const names = ahead.map(({ consumer }) => consumer)
      const text = `Listeners are ahead of the stream, and miss new events: ${names.join(', ')}.`
      return failure(
        text,
        'Run `chorale doctor --repair`; events are handled once all the same.',
        remove(names),
      )
    }
    const names = found.map(({ consumer }) => consumer)
    const strange = names.filter((name) => !leaseNames.includes(name))
    if (strange.length > 0) {
      const text = `Consumers belong to no listener of this release: ${strange.join(', ')}.`
      return warning(
        text,
        'Once no other release runs, run `chorale doctor --repair`.',
        remove(strange),
      )
    }
    const late = found.filter(({ messages }) => messages > maxLag)
    if (late.length > 0) {
      const text = `Listeners are over ${maxLag} events behind: ${late.map(({ consumer }) => consumer).join(', ')}.`
      return warning(
        text,
        'Start another `chorale serve --parts worker`, or raise LISTENER_CONCURRENCY.',
      )
    }
    return ok(`${found.length} of ${leaseNames.length} consumers, none far behind`)
  },
}

const deadLetters: Check = {
  name: 'dead-letters',
  looksAt: 'events that a listener gave up on',
  needs: ['streams'],
  async run(subject) {
    const manager = await jetstreamManager(subject.nats)
    const { state } = await manager.streams.info(subject.stream.lettersName)
    if (state.messages === 0) return ok('none')
    const remedy =
      'Read `chorale dead-letters list`, correct the cause, run `chorale dead-letters replay --all`.'
    return warning(`There are ${state.messages} dead letters.`, remedy)
  },
}

const workers: Check = {
  name: 'workers',
  looksAt: 'every partition of every listener is held by a worker',
  needs: ['schema'],
  async run({ database: { db } }) {
    const held = await heldLeases(db, leaseNames)
    if (held.length === leaseNames.length) return ok(`${held.length} leases held`)
    const text = `${leaseNames.length - held.length} of ${leaseNames.length} leases of listeners are held by no worker.`
    return warning(text, 'Start `chorale serve`, or `chorale serve --parts worker`.')
  },
}

const epoch: Check = {
  name: 'epoch',
  looksAt: 'the database is not older than what NATS knows of it, as after a restore',
  needs: ['schema', 'streams'],
  async run({ database: { db }, stream }) {
    const marks = openMarks(stream)
    const { current, isBehind } = await compareEpochs(db, marks)
    if (!isBehind) return ok(`epoch ${current}`)
    const text = 'The database is older than what NATS knows of it, as after a restore.'
    const remedy = 'Run `chorale epoch new` before anything is sent.'
    return failure(text, remedy, async () => `began epoch ${await beginNewEpoch(db, marks, 0)}`)
  },
}

export const natsChecks: readonly Check[] = [
  nats,
  jetStream,
  streams,
  positions,
  deadLetters,
  epoch,
  workers,
]
