import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { partitions } from '../../../server/src/outbox/batches.ts'
import type { HeardEvent } from '../../../server/src/outbox/listener.ts'

export async function deleteStreams(natsUrl: string, prefix: string): Promise<void> {
  await using connection = await connectNats(natsUrl)
  const { streams } = await jetstreamManager(connection.nats)
  for await (const name of streams.names()) {
    if (name.startsWith(`${prefix}-`)) await streams.delete(name)
  }
}

export interface StoredBatch {
  /** Without the prefix. */
  readonly subject: string
  readonly appId: string
  readonly events: readonly HeardEvent[]
}

/** All that the stream of events holds, in its order; nothing while there is no stream. */
export async function storedBatches(natsUrl: string, prefix: string): Promise<StoredBatch[]> {
  await using connection = await connectNats(natsUrl)
  const name = `${prefix}-events`
  const { streams } = await jetstreamManager(connection.nats)
  const info = await streams.info(name).catch(() => undefined)
  if (!info?.state.messages) return []
  const consumer = await jetstream(connection.nats).consumers.get(name)
  const found: StoredBatch[] = []
  // On a busy machine one fetch ends before it has them all.
  while (found.length < info.state.messages) {
    const max_messages = info.state.messages - found.length
    for await (const message of await consumer.fetch({ max_messages })) {
      const batch = message.json<Omit<StoredBatch, 'subject'>>()
      found.push({ ...batch, subject: message.subject.slice(prefix.length + 1) })
    }
  }
  return found
}

/** As if all of it had become too old. */
export async function forgetEvents(natsUrl: string, prefix: string): Promise<void> {
  await using connection = await connectNats(natsUrl)
  const { streams } = await jetstreamManager(connection.nats)
  await streams.purge(`${prefix}-events`)
}

/** So that everything in the stream is delivered again at once, to this listener or to all. */
export async function deleteConsumers(
  natsUrl: string,
  prefix: string,
  listener = '',
): Promise<void> {
  await using connection = await connectNats(natsUrl)
  const { consumers } = await jetstreamManager(connection.nats)
  for await (const { name } of consumers.list(`${prefix}-events`)) {
    if (name.startsWith(listener)) await consumers.delete(`${prefix}-events`, name)
  }
}

/** How many batches a listener has not handled; infinitely many while it has not begun. */
export async function waitingIn(
  natsUrl: string,
  prefix: string,
  listener: string,
): Promise<number> {
  const infos = await consumersOf(natsUrl, prefix, listener)
  return infos.reduce(
    (sum, info) =>
      sum + (info ? info.num_pending + info.num_ack_pending : Number.POSITIVE_INFINITY),
    0,
  )
}

/** How many of them NATS has sent to a worker. */
export async function inHandOf(natsUrl: string, prefix: string, listener: string): Promise<number> {
  const infos = await consumersOf(natsUrl, prefix, listener)
  return infos.reduce((sum, info) => sum + (info?.num_ack_pending ?? 0), 0)
}

/** One for each partition; undefined where it has not begun. */
async function consumersOf(natsUrl: string, prefix: string, listener: string) {
  await using connection = await connectNats(natsUrl)
  const { consumers } = await jetstreamManager(connection.nats)
  return await Promise.all(
    Array.from({ length: partitions }, (_, partition) =>
      consumers.info(`${prefix}-events`, `${listener}-${partition}`).catch(() => undefined),
    ),
  )
}

async function connectNats(url: string) {
  const nats = await connect({ servers: url })
  return { nats, [Symbol.asyncDispose]: () => nats.close() }
}
