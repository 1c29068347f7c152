import type { NatsConnection, Subscription } from '@nats-io/transport-node'
import type { Logger } from 'pino'
import type { Bus } from './bus.ts'

/** News that may be lost: NATS core, without a stream behind it. */
export interface Signals {
  /** To this process at once; to others over NATS, and nowhere while that is away. */
  publish(subject: string, text: string): void
  /** Returns how to stop. One listener for each subject. */
  listen(subject: string, hear: (text: string) => void): () => void
  /** Resolves when NATS knows of every listener so far; at once while it is away. */
  settled(): Promise<void>
  /** Called when something may have been missed: NATS was away, and is there again. */
  onRestored(restored: () => void): void
}

interface Listening {
  readonly hear: (text: string) => void
  subscription: Subscription | undefined
}

/** Where a signal goes: apart from other installs that share a NATS, and from the stream of events. */
export function liveSubject(prefix: string, subject: string): string {
  return `${prefix}-live.${subject}`
}

export function openSignals(
  bus: Pick<Bus, 'connection' | 'onConnected'>,
  prefix: string,
  log: Logger,
): Signals {
  const listening = new Map<string, Listening>()
  const restored: (() => void)[] = []
  let own: { readonly listener: Listening; readonly subject: string; readonly text: string }[] = []
  let current: NatsConnection | undefined

  function pass(listener: Listening, subject: string, text: string): void {
    try {
      listener.hear(text)
    } catch (cause) {
      // Inside the client of NATS it would end the process.
      log.warn({ err: cause, subject }, 'could not parse a signal; it is dropped')
    }
  }

  /** After whatever this turn of the event loop has to answer. */
  function hearOwnSoon(listener: Listening, subject: string, text: string): void {
    own.push({ listener, subject, text })
    if (own.length > 1) return
    setImmediate(() => {
      const heard = own
      own = []
      for (const one of heard) {
        if (listening.get(one.subject) === one.listener) pass(one.listener, one.subject, one.text)
      }
    })
  }

  function subscribe(connection: NatsConnection, subject: string, listener: Listening): void {
    listener.subscription = connection.subscribe(liveSubject(prefix, subject), {
      callback: (error, message) => {
        if (!error) pass(listener, subject, message.string())
      },
    })
  }

  bus.onConnected((connection) => {
    // A connection that comes back keeps its subscriptions; a new one has none.
    if (connection !== current) {
      current = connection
      for (const [subject, listener] of listening) subscribe(connection, subject, listener)
    }
    for (const notify of restored) notify()
  })

  return {
    publish(subject, text) {
      const listener = listening.get(subject)
      if (listener) hearOwnSoon(listener, subject, text)
      try {
        // Bytes: the client is slow to turn text into them.
        bus.connection?.publish(liveSubject(prefix, subject), Buffer.from(text))
      } catch {
        // Too large, or the connection ended this moment: lost, as any signal may be.
      }
    },
    listen(subject, hear) {
      const listener: Listening = { hear, subscription: undefined }
      listening.set(subject, listener)
      if (current) subscribe(current, subject, listener)
      return () => {
        if (listening.get(subject) === listener) listening.delete(subject)
        listener.subscription?.unsubscribe()
      }
    },
    async settled() {
      // While NATS is away nobody can publish either: what is missed is found by comparing.
      await bus.connection?.flush().catch(() => undefined)
    },
    onRestored(notify) {
      restored.push(notify)
    },
  }
}
