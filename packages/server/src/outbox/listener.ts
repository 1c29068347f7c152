import type { InstallDb } from '../database/app-db.ts'
import type { Db } from '../database/db.ts'
import type { EventName, Events } from './events.ts'
import type { AppTransaction } from './unit-of-work.ts'

/** An event as a listener gets it: at least once, always with the same id. */
export interface HeardEvent<N extends EventName = EventName> {
  readonly id: string
  readonly name: N
  readonly at: number
  readonly payload: Events[N]
  /** A `traceparent`, where what caused it is traced. */
  readonly trace?: string
}

/**
 * `again`: done in part, and committed; the rest is for the next transaction. Only for listeners
 * that are harmless twice, since the event is the same each time.
 */
export type Reaction<N extends EventName> = (
  event: HeardEvent<N>,
  ctx: AppTransaction,
) => Promise<undefined | 'again'>

export interface Listener {
  /** Names its consumer in NATS for as long as it lives: letters, digits and dashes. */
  readonly name: string
  readonly on: { readonly [N in EventName]?: Reaction<N> }
  /**
   * Instead of `on`: takes the events of a batch, and of those that come within a tenth of a second
   * after it, in one transaction, in no order. Only for a listener that is harmless twice, and whose
   * statements are prepared.
   */
  readonly together?: {
    readonly names: readonly EventName[]
    readonly react: (events: readonly HeardEvent[], ctx: AppTransaction) => Promise<void>
  }
  /**
   * Of these apps, those for which it has anything to do. Events of the others are passed over
   * before a transaction is opened.
   */
  readonly concerns?: (db: Db, appIds: readonly string[]) => Promise<ReadonlySet<string>>
  /**
   * Handling an event twice does no harm. Without this, the id of each event is kept in the
   * transaction of what was done, and a repeat is passed over.
   */
  readonly idempotent?: true
  /** Every minute or so: removes what is too old, some at a time. True: there is more. */
  readonly tidy?: (db: InstallDb, now: number) => Promise<boolean>
}

/** How far the listeners are. */
export interface Listened {
  /** The last event of the stream, by the number of its message. */
  lastSeq(): Promise<number>
  /** Whether every listener has handled all events up to this message. */
  isPast(seq: number): Promise<boolean>
  /** Deletes events, when all have been handled. */
  forget(forgotten: Forgotten): Promise<void>
}

/** Events that name a user, and those of what was said in conversations that are gone. */
export interface Forgotten {
  readonly appId: string
  readonly uid: string
  goneAmong(keys: readonly number[]): Promise<ReadonlySet<number>>
}
