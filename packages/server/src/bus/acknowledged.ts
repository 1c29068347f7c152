import { JetStreamApiError } from '@nats-io/jetstream'
import {
  createInbox,
  headers,
  type Msg,
  type NatsConnection,
  NoRespondersError,
  TimeoutError,
} from '@nats-io/transport-node'
import { openUnderWay } from '../limits/under-way.ts'
import { NatsAway } from './errors.ts'

/** Settles when the stream has stored it. `id`: the stream drops a repeat. */
export type PublishAcknowledged = (subject: string, body: Uint8Array, id: string) => Promise<void>

interface Waiting {
  /** Its place may have been somebody else's, whose answer comes late. */
  readonly nth: number
  readonly subject: string
  readonly until: number
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/** How late one may be found overdue. */
const everyMs = 100

/**
 * What `publish` of the JetStream client does, without its `Map` of requests: by that, V8 kept alive 1.3 KB
 * of each send until the next full collection (why: `limits/under-way.ts`).
 */
export function openAcknowledged(
  connection: NatsConnection,
  timeoutMs: number,
): PublishAcknowledged {
  const inbox = createInbox()
  const waiting = openUnderWay<Waiting>()
  let published = 0
  let timer: NodeJS.Timeout | undefined

  function settle(place: number, error?: Error): void {
    const one = waiting.at(place)
    waiting.remove(place)
    if (error) one?.reject(error)
    else one?.resolve()
  }

  function rejectOverdue(): void {
    if (waiting.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
    const now = performance.now()
    waiting.each(({ until }, place) => {
      if (until <= now) settle(place, new TimeoutError())
    })
  }

  function onAnswer(error: Error | null, message: Msg): void {
    // The subscription has ended with its connection: see `closed` below.
    if (error) return
    const [place = -1, nth] = message.subject
      .slice(inbox.length + 1)
      .split('-')
      .map(Number)
    const one = waiting.at(place)
    if (one && one.nth === nth) settle(place, refusalIn(message, one.subject))
  }

  connection.subscribe(`${inbox}.*`, { callback: onAnswer })
  void connection.closed().then(() => {
    waiting.each((_, place) => settle(place, new NatsAway()))
  })

  return (subject, body, id) =>
    new Promise((resolve, reject) => {
      published++
      const until = performance.now() + timeoutMs
      const place = waiting.add({ nth: published, subject, until, resolve, reject })
      timer ??= setInterval(rejectOverdue, everyMs)
      const named = headers()
      named.set('Nats-Msg-Id', id)
      try {
        const reply = `${inbox}.${place}-${published}`
        connection.publish(subject, body, { reply, headers: named })
      } catch (error) {
        settle(place, error instanceof Error ? error : new NatsAway())
      }
    })
}

function refusalIn(message: Msg, subject: string): Error | undefined {
  if (message.data.length === 0) return new NoRespondersError(subject)
  const { error } = message.json<{ error?: ConstructorParameters<typeof JetStreamApiError>[0] }>()
  return error && new JetStreamApiError(error)
}
