import type { Message, UnreadCount, User } from '../contract.generated.ts'
import type { Ask } from './ask.ts'
import { openEmitter } from './emitter.ts'
import { openEngine } from './engine.ts'
import type { SessionEvents } from './events.ts'
import { type HistoryOptions, pages, unreadCounts } from './history.ts'
import type { ConnectionState } from './link.ts'
import { markDelivered, markRead } from './marks.ts'
import { type ConnectOptions, withDefaults } from './options.ts'
import type { Draft, Sent } from './outgoing.ts'
import type { Target } from './targets.ts'
import type { Positions } from './timeline.ts'

/** What `connect` returns. */
export interface Session {
  /** As it is now; the event `connection` tells of each change. */
  readonly connection: ConnectionState
  /** How far this device has come, to be given to a later session. */
  readonly positions: Positions
  /** The user of the auth token, once the service has said who it is. */
  readonly user: Promise<User>
  /** Listens to an event; returns the way to stop. */
  readonly on: <N extends keyof SessionEvents>(
    event: N,
    listener: (value: SessionEvents[N]) => void,
  ) => () => void
  /** Stored once, however often the connection fails. Throws when too many wait already. */
  send(draft: Draft): Sent
  /** Any operation that a device may call. */
  readonly call: Ask
  /** Up to this message, or all. */
  markDelivered(target: Target, messageId?: string): Promise<void>
  /** Up to this message, or all. */
  markRead(target: Target, messageId?: string): Promise<void>
  /** Unread messages by user and group. */
  unreadCounts(): Promise<UnreadCount[]>
  /** Page by page, each oldest first: back from the newest, unless told otherwise. */
  history(target: Target, options?: HistoryOptions): AsyncGenerator<Message[]>
  /** False: there is no connection, and nobody was told. */
  typing(target: Target, state: 'started' | 'ended', metadata?: Record<string, unknown>): boolean
  /** A custom event, to who is there now. False: there is no connection. */
  sendEvent(target: Target, data: Record<string, unknown>): boolean
  /** Connects now instead of waiting any longer. */
  retryNow(): void
  /** Ends the session. What was not sent is refused. */
  close(): void
}

/** A device of one user: it hears what happens, and says what the user does. */
export function connect(options: ConnectOptions): Session {
  const events = openEmitter<SessionEvents>()
  const engine = openEngine(withDefaults(options), events)
  const { call, link, outbox, timeline } = engine
  return {
    get connection() {
      return engine.connection
    },
    get positions() {
      return timeline.positions
    },
    user: engine.user,
    on: events.on,
    send: (draft) => outbox.send(draft),
    call,
    markDelivered: (target, messageId) => markDelivered(call, target, messageId),
    markRead: (target, messageId) => markRead(call, target, messageId),
    unreadCounts: () => unreadCounts(call),
    history: (target, history) => pages(call, target, history),
    typing: ({ receiver, receiverType }, state, metadata) =>
      link.say({ type: 'typing', receiver, receiverType, state, ...(metadata && { metadata }) }),
    sendEvent: ({ receiver, receiverType }, data) =>
      link.say({ type: 'transient', receiver, receiverType, data }),
    retryNow: () => link.retryNow(),
    close: () => link.close(),
  }
}
