import { setTimeout as after } from 'node:timers/promises'
import {
  AckPolicy,
  type Consumer,
  type ConsumerInfo,
  type ConsumerMessages,
  DeliverPolicy,
  type JsMsg,
} from '@nats-io/jetstream'
import { nanos, type Subscription } from '@nats-io/transport-node'
import type { EventStream } from '../bus/event-stream.ts'
import type { InHand } from './reentry.ts'

/** Messages of a consumer of NATS, which one process reads at a time. */
export interface Messages extends AsyncIterable<JsMsg> {
  /** What earlier processes had in hand and did not finish. */
  readonly inHand: InHand
  /** How many messages NATS waits for now. */
  inHandNow(): Promise<number>
  /** Asks for no more. What NATS has sent by then still comes, and may be given back when this resolves. */
  stop(): Promise<void>
}

interface Wanted {
  /** Of the consumer. */
  readonly name: string
  readonly subject: string
  readonly stopping: AbortSignal
}

/** What a process had in hand when it died comes again after this time, before anything newer. */
export const ackWaitMs = 10_000
/**
 * How long NATS remembers that a process wants more. What comes again while it waits for a dead one
 * loses its place: so that is forgotten before.
 */
const requestMs = 9000
/** NATS does not look at the clock all the time. */
const graceMs = 1000
const lookEveryMs = 50
/** NATS may be away when the process stops. */
const stopMs = 2000
/** Messages in hand. One that waits for its next attempt holds up only those of its own key. */
const maxPending = 64

/** Undefined: told to stop before there were any. */
export async function openMessages(
  { open, eventsName }: EventStream,
  { name, subject, stopping }: Wanted,
): Promise<Messages | undefined> {
  const { client, manager } = await open()
  const made = await manager.consumers.add(eventsName, {
    durable_name: name,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ackWaitMs),
    deliver_policy: DeliverPolicy.All,
    filter_subject: subject,
    max_ack_pending: maxPending,
    // The server would give up without a word; we write a letter.
    max_deliver: -1,
  })
  const consumer = await client.consumers.get(eventsName, name)
  // Nobody else holds the lease: who still waits for messages is gone, and must not get any.
  const limit = AbortSignal.any([stopping, AbortSignal.timeout(requestMs + graceMs)])
  const info = made.num_waiting > 0 ? await untilNobodyWaits(consumer, limit) : made
  if (stopping.aborted) return undefined
  const messages = await consumer.consume({
    max_messages: maxPending,
    expires: requestMs,
    abort_on_missing_resource: true,
  })
  let stopped: Promise<void> | undefined
  return {
    inHand: { count: info.num_ack_pending, upTo: info.delivered.stream_seq },
    inHandNow: async () => (await consumer.info()).num_ack_pending,
    stop() {
      stopped ??= stop(consumer, messages)
      return stopped
    },
    [Symbol.asyncIterator]: () => messages[Symbol.asyncIterator](),
  }
}

/** NATS forgets requests of processes that are gone when it is asked how many there are. */
async function untilNobodyWaits(consumer: Consumer, limit: AbortSignal): Promise<ConsumerInfo> {
  for (;;) {
    const info = await consumer.info()
    if (info.num_waiting === 0 || limit.aborted) return info
    await after(lookEveryMs)
  }
}

async function stop(consumer: Consumer, messages: ConsumerMessages): Promise<void> {
  const limit = AbortSignal.timeout(stopMs)
  await drain(messages, limit)
  if (limit.aborted) return
  // NATS 2.9 would lose the place of a message that is given back while it knows of a request by
  // somebody who is gone. Where it cannot be asked, the messages come again after `ackWaitMs`.
  await untilNobodyWaits(consumer, limit).catch(() => undefined)
}

/** The client's own `close` drops what is on its way; NATS would wait for it until `ackWaitMs`. */
async function drain(messages: ConsumerMessages, limit: AbortSignal): Promise<void> {
  // The client keeps it to itself.
  const { sub } = messages as unknown as { readonly sub: Subscription }
  const { promise: late, resolve } = Promise.withResolvers<void>()
  limit.addEventListener('abort', () => resolve())
  // Rejects where the connection is closed: then nothing more can come.
  await Promise.race([sub.drain().catch(() => undefined), late])
  await messages.close()
}
