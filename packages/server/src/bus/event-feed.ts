import { AckPolicy, type Consumer, DeliverPolicy, type JsMsg } from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import type { Logger } from 'pino'
import type { Epochs } from '../outbox/epochs.ts'
import type { EventFeed, FeedPage, FeedPlace } from '../outbox/feed.ts'
import type { HeardEvent } from '../outbox/listener.ts'
import { resumeTurn } from '../watchdog/turns.ts'
import { onlyForHeader } from './dead-letters.ts'
import type { EventStream } from './event-stream.ts'

/** Messages; each may have a million bytes. */
const maxAtOnce = 20
/** Of a page: what comes after this many is for the next one. Printing it holds the event loop. */
const maxBytes = 1_000_000
const waitMs = 5000

/** Reads the stream itself, so whatever is published late comes late, and is not passed over. */
export function openEventFeed(
  stream: EventStream,
  epochs: Pick<Epochs, 'current'>,
  log: Logger,
): EventFeed {
  /** In another epoch, or another stream, a place means something else. */
  const nameOf = (created: string) =>
    epochs.current === 0 ? created : `${created} ${epochs.current}`

  async function page(
    appId: string,
    from: FeedPlace | undefined,
    most: number,
  ): Promise<FeedPage | 'gone'> {
    const { client, manager } = await stream.open()
    const { created, state } = await manager.streams.info(stream.eventsName)
    const oldest = Math.max(state.first_seq, 1)
    const name = nameOf(created)
    const place = from ?? { stream: name, seq: oldest, skip: 0 }
    const isKept = place.seq >= oldest && place.seq <= state.last_seq + 1
    if (place.stream !== name || !isKept) return 'gone'
    const info = await manager.consumers.add(stream.eventsName, {
      ack_policy: AckPolicy.None,
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: place.seq,
      filter_subject: `${stream.prefix}.${appId}.*.*`,
      inactive_threshold: nanos(2 * waitMs),
      mem_storage: true,
    })
    try {
      const consumer = client.consumers.getConsumerFromInfo(info)
      const gathered = await gather(consumer, info.num_pending, place, most)
      // The end was read before the messages were counted, so none of the app's is before it.
      const end = { ...place, seq: state.last_seq + 1, skip: 0 }
      return gathered.all && end.seq > gathered.next.seq ? { ...gathered, next: end } : gathered
    } finally {
      // Otherwise it would end by itself, some seconds later.
      manager.consumers.delete(stream.eventsName, info.name).catch(() => undefined)
    }
  }

  return {
    async read(appId, from, most) {
      try {
        return await page(appId, from, most)
      } catch (error) {
        log.warn({ err: error }, 'could not read the event stream from NATS')
        return 'away'
      }
    },
  }
}

/** `all`: whatever was pending has been read. */
async function gather(
  consumer: Consumer,
  pending: number,
  place: FeedPlace,
  most: number,
): Promise<FeedPage & { readonly all: boolean }> {
  const events: HeardEvent[] = []
  let next = place
  let left = pending
  let bytes = 0
  while (left > 0) {
    const before = left
    const wanted = { max_messages: Math.min(left, maxAtOnce), expires: waitMs }
    for await (const message of await consumer.fetch(wanted)) {
      resumeTurn()
      const { seq } = message
      const heard = eventsIn(message)
      const skip = seq === place.seq ? place.skip : 0
      const taken = heard.slice(skip, skip + most - events.length)
      events.push(...taken)
      const done = skip + taken.length
      if (done < heard.length) return { events, next: { ...place, seq, skip: done }, all: false }
      next = { ...place, seq: seq + 1, skip: 0 }
      left--
      bytes += message.data.length
      if (events.length === most || bytes >= maxBytes) return { events, next, all: left === 0 }
    }
    // NATS has fallen silent: this far, for now.
    if (left === before) return { events, next, all: false }
  }
  return { events, next, all: true }
}

/** A letter that is replayed is for its listener alone. */
function eventsIn(message: JsMsg): readonly HeardEvent[] {
  if (message.headers?.has(onlyForHeader)) return []
  return message.json<{ readonly events: readonly HeardEvent[] }>().events
}
