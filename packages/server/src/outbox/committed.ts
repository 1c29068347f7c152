import type { EventName, Events } from './events.ts'

/** An event as its row holds it. */
export interface RecordedEvent {
  /** A uuid of version 7. */
  readonly id: string
  readonly appId: string
  readonly name: EventName
  readonly at: number
  readonly payload: Events[EventName]
  /** A `traceparent`, where it is traced; so have entries and appends. It is kept in memory only. */
  readonly trace?: string | undefined
}

/** Where a conversation is stored: an internal key, never the public `conversationId`. */
export interface ConversationKey {
  readonly bucket: number
  readonly key: number
}

/** Users and groups as rows of the domain, which writes and reads them. */
export interface Profiles {
  readonly users: readonly object[]
  readonly groups: readonly object[]
}

/** An entry that is in the log. */
export interface AppendedEntry extends ConversationKey {
  readonly appId: string
  readonly seq: number
  readonly id: number
  readonly at: number
  readonly sender: string
  readonly category: string
  readonly type: string
  readonly muid?: string | null | undefined
  readonly parentSeq?: number | null | undefined
  /** JSON text, as are the extras. Null: too large to travel, read it from the log. */
  readonly data: string | null
  readonly extra?: string | null | undefined
  /** JSON text, where a rule has caught it. */
  readonly verdict?: string | null | undefined
  /** Of those whom it shows, as they were when it was appended. Gateways look up who is missing. */
  readonly profiles?: Profiles | undefined
  readonly trace?: string | undefined
  /** It was said elsewhere: nobody is notified of it. */
  readonly imported?: boolean | undefined
}

/** The entries of one receipt, in the order of the batch. */
export interface Append {
  readonly receipt: number
  readonly entries: readonly AppendedEntry[]
  readonly trace?: string | undefined
}

/** What one transaction, or one batch of a batcher, has left to be published. */
export interface Committed {
  readonly events: readonly RecordedEvent[]
  readonly appends: readonly Append[]
  /** Names of who is woken: of queues that it has added jobs to, for one. */
  readonly wakes?: ReadonlySet<string>
}

/** Is called right after the commit, in the committing process. Must neither throw nor wait. */
export type CommitHook = (committed: Committed) => void

/** All of them, where there is something to publish; then whoever waits for what was committed is woken. */
export function allHooks(
  hooks: readonly CommitHook[],
  wake: (names: Iterable<string>) => void,
): CommitHook {
  return (committed) => {
    const { events, appends, wakes } = committed
    if (events.length + appends.length > 0) for (const hook of hooks) hook(committed)
    if (wakes && wakes.size > 0) wake(wakes)
  }
}
