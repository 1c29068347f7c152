import type { HeardEvent } from './listener.ts'

/** Where a reader goes on. */
export interface FeedPlace {
  /** Which stream: one that was made anew counts from the beginning. */
  readonly stream: string
  /** Of the first message to read. */
  readonly seq: number
  /** How many of its events have been read. */
  readonly skip: number
}

export interface FeedPage {
  readonly events: readonly HeardEvent[]
  readonly next: FeedPlace
}

/** What was committed in an app, in the order in which it was published: late, but never too late. */
export interface EventFeed {
  /**
   * From the oldest that is kept, unless a place is given. `gone`: not all that follows that place
   * is kept any more. `away`: NATS is.
   */
  read(
    appId: string,
    from: FeedPlace | undefined,
    most: number,
  ): Promise<FeedPage | 'gone' | 'away'>
}
