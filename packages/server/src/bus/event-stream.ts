import {
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream'
import { type NatsConnection, nanos } from '@nats-io/transport-node'
import type { Batch } from '../outbox/batches.ts'
import { openAcknowledged, type PublishAcknowledged } from './acknowledged.ts'
import type { Bus } from './bus.ts'
import { NatsAway } from './errors.ts'

export interface StreamOptions {
  /** In front of every subject; the streams are named after it. */
  readonly prefix: string
  readonly hours: number
  readonly replicas: number
}

/** The streams of this install in NATS: events, and those that a listener could not handle. */
export interface EventStream {
  readonly prefix: string
  readonly eventsName: string
  readonly lettersName: string
  /** What the database had reached: see `outbox/epochs.ts`. */
  readonly marksName: string
  /** Makes the streams if they are missing. Throws while NATS is away. */
  open(): Promise<OpenStream>
  publish(batch: Batch): Promise<void>
}

interface OpenStream {
  readonly client: JetStreamClient
  readonly manager: JetStreamManager
  readonly publish: PublishAcknowledged
}

const ackTimeoutMs = 5000
/** A repeat within this time is dropped. Listeners know repeats by the event's id all the same. */
const repeatsKnownMs = 120_000

export function openEventStream(bus: Pick<Bus, 'connection'>, options: StreamOptions): EventStream {
  const { prefix } = options
  const base = prefix.replaceAll('.', '-')
  const eventsName = `${base}-events`
  const lettersName = `${base}-dead-letters`
  const marksName = `${base}-marks`
  let opened: { readonly on: NatsConnection; readonly stream: Promise<OpenStream> } | undefined

  let publishing: { readonly on: NatsConnection; readonly publish: PublishAcknowledged } | undefined

  async function make(connection: NatsConnection): Promise<OpenStream> {
    const manager = await jetstreamManager(connection)
    const shared = {
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      num_replicas: options.replicas,
    }
    await ensure(manager, {
      ...shared,
      name: eventsName,
      subjects: [`${prefix}.*.*.*`],
      max_age: nanos(options.hours * 3_600_000),
      duplicate_window: nanos(Math.min(repeatsKnownMs, options.hours * 3_600_000)),
    })
    await ensure(manager, { ...shared, name: lettersName, subjects: [`${prefix}-dead.*`] })
    const last = { subjects: [`${prefix}-mark.*`], max_msgs_per_subject: 1 }
    await ensure(manager, { ...shared, name: marksName, ...last })
    const client = jetstream(connection, { timeout: ackTimeoutMs })
    return { client, manager, publish: publishOn(connection) }
  }

  /** One for each connection, also when the streams are looked for again. */
  function publishOn(connection: NatsConnection): PublishAcknowledged {
    if (publishing?.on !== connection) {
      publishing = { on: connection, publish: openAcknowledged(connection, ackTimeoutMs) }
    }
    return publishing.publish
  }

  function open(): Promise<OpenStream> {
    const { connection } = bus
    if (!connection) return Promise.reject(new NatsAway())
    if (opened?.on !== connection) {
      const stream = make(connection)
      opened = { on: connection, stream }
      stream.catch(forget)
    }
    return opened.stream
  }

  function forget(): void {
    opened = undefined
  }

  return {
    prefix,
    eventsName,
    lettersName,
    marksName,
    open,
    async publish({ subject, id, body }) {
      const stream = await open()
      try {
        // Bytes: the client is slow to turn text into them.
        await stream.publish(`${prefix}.${subject}`, Buffer.from(body), id)
      } catch (error) {
        // It may be that the stream is gone: it is looked for again.
        forget()
        throw error
      }
    },
  }
}

type Wanted = Parameters<JetStreamManager['streams']['add']>[0]

async function ensure({ streams }: JetStreamManager, wanted: Wanted): Promise<void> {
  const { name, ...config } = wanted
  try {
    await streams.info(name)
  } catch {
    await streams.add(wanted)
    return
  }
  await streams.update(name, config)
}
