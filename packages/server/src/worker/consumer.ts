import type { JsMsg } from '@nats-io/jetstream'
import { type DeadLetters, onlyForHeader } from '../bus/dead-letters.ts'
import type { EventStream } from '../bus/event-stream.ts'
import type { HeardEvent, Listener } from '../outbox/listener.ts'
import type { Gathering } from './gathering.ts'
import { type Concerns, type HandleParts, handle, type Outcome } from './handle.ts'
import { ackWaitMs, openMessages } from './messages.ts'
import { openReentry } from './reentry.ts'
import { openTurns, type Slots } from './turns.ts'

export interface ConsumerParts extends HandleParts {
  readonly stream: EventStream
  readonly letters: DeadLetters
  readonly onOutcome: (listener: string, outcome: 'handled' | 'dead') => void
}

export interface Consuming {
  readonly listener: Listener
  readonly partition: number
  readonly slots: Slots
  readonly concerns: Concerns
  /** Of this listener, for all partitions that the process has. */
  readonly gathering: Gathering
  readonly stopping: AbortSignal
  /** Called when its messages can come. */
  readonly onOpened: () => void
}

/** A body as `outbox/batches.ts` makes it. */
interface Heard {
  readonly appId: string
  readonly events: readonly HeardEvent[]
}

/** Hands a partition of the stream to a listener, until told to stop or NATS has lost the consumer. */
export async function consume(parts: ConsumerParts, consuming: Consuming): Promise<void> {
  const { listener, partition, stopping } = consuming
  const name = `${listener.name}-${partition}`
  const subject = `${parts.stream.prefix}.*.${partition}.${nounOf(listener)}`
  const messages = await openMessages(parts.stream, { name, subject, stopping })
  if (!messages) return
  consuming.onOpened()
  using reentry = openReentry(messages)
  const stop = () => {
    void messages.stop()
    reentry[Symbol.dispose]()
  }
  if (stopping.aborted) stop()
  stopping.addEventListener('abort', stop)
  const pending = new Map<JsMsg, Promise<void>>()
  const stillAtIt = setInterval(() => {
    for (const message of pending.keys()) message.working()
  }, ackWaitMs / 3)
  const turns = openTurns()
  const taking: Taking = {
    take: turns.take,
    names: new Set(namesOf(listener)),
    async giveBack(message) {
      await messages.stop()
      message.nak()
    },
  }
  const take = async (message: JsMsg) => {
    await reentry.admit(message.seq)
    return takeMessage(parts, consuming, taking, message)
  }
  try {
    for await (const message of messages) {
      pending.set(
        message,
        take(message).finally(() => pending.delete(message)),
      )
    }
  } finally {
    await Promise.all(pending.values())
    clearInterval(stillAtIt)
    stopping.removeEventListener('abort', stop)
  }
}

/** The one noun that it listens to, or all. */
function nounOf(listener: Listener): string {
  const [noun = '*', ...others] = new Set(namesOf(listener).map((name) => name.split('.', 1)[0]))
  return others.length === 0 ? noun : '*'
}

function namesOf({ on, together }: Listener): readonly string[] {
  return together ? together.names : Object.keys(on)
}

type Take = ReturnType<typeof openTurns>['take']

interface Taking {
  readonly take: Take
  /** Of the events that the listener wants. */
  readonly names: ReadonlySet<string>
  /** For the next process, while this one stops. */
  giveBack(message: JsMsg): Promise<void>
}

/** Acknowledged when each of its events was handled or has become a dead letter. */
async function takeMessage(
  parts: ConsumerParts,
  consuming: Consuming,
  { take, names, giveBack }: Taking,
  message: JsMsg,
): Promise<void> {
  const { listener, stopping } = consuming
  if (stopping.aborted) return giveBack(message)
  const onlyFor = message.headers?.get(onlyForHeader)
  if (onlyFor && onlyFor !== listener.name) return message.ack()
  try {
    const { appId, events } = message.json<Heard>()
    const heard = events.filter(({ name }) => names.has(name))
    if (heard.length === 0) return message.ack()
    // What a process may have died of is handled by itself.
    const mayGather = listener.together && message.info.deliveryCount === 1
    if (mayGather && (await consuming.gathering.add(appId, heard))) {
      parts.onOutcome(listener.name, 'handled')
      return message.ack()
    }
    const tasks = listener.together ? [heard] : heard.map((event) => [event])
    const isConcerned = askOnce(() => consuming.concerns(appId))
    const done = await Promise.all(
      tasks.map((events) =>
        takeEvents(parts, consuming, take, { message, appId, events, isConcerned }),
      ),
    )
    if (done.includes(false)) await giveBack(message)
    else message.ack()
  } catch (error) {
    parts.log.error(
      { err: error, listener: listener.name },
      'could not handle a message of the event stream; it is delivered again',
    )
    message.nak(ackWaitMs)
  }
}

/** Events of a message that are handled in one go. */
interface Part {
  readonly message: JsMsg
  readonly appId: string
  readonly events: readonly HeardEvent[]
  readonly isConcerned: () => Promise<boolean>
}

/** Asked right away, and again only if there was no answer. */
function askOnce(ask: () => Promise<boolean>): () => Promise<boolean> {
  let answer: Promise<boolean> | undefined
  const asked = () => {
    answer ??= ask().catch((error) => {
      answer = undefined
      throw error
    })
    return answer
  }
  // Whoever handles the events will ask again.
  asked().catch(() => undefined)
  return asked
}

/** False: it was not finished, because the process stops. */
async function takeEvents(
  parts: ConsumerParts,
  { listener, slots, stopping }: Consuming,
  take: Take,
  { message, appId, events, isConcerned }: Part,
): Promise<boolean> {
  const [first] = events
  if (!first) return true
  let outcome: Outcome = 'stopped'
  const order = listener.together ? message.subject + message.seq : orderOf(appId, first)
  await take(order, async () => {
    const delivery = message.info.deliveryCount
    const task = { listener, appId, events, delivery, slots, isConcerned, stopping }
    outcome = await handle(parts, task)
    if (outcome instanceof Error) {
      const subject = message.subject.slice(parts.stream.prefix.length + 1)
      const letter = { listener: listener.name, subject, appId, error: outcome.message }
      for (const event of events) await parts.letters.write({ ...letter, event, at: parts.clock() })
    }
    if (outcome !== 'stopped') {
      parts.onOutcome(listener.name, outcome === 'handled' ? 'handled' : 'dead')
    }
  })
  return outcome !== 'stopped'
}

/** What must stay in order: the events of a conversation; of an app, where it is about none. */
function orderOf(appId: string, { payload }: HeardEvent): string {
  return 'bucket' in payload ? `${payload.key}` : appId
}
