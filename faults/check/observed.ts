/** All that a run has seen from outside. The checker knows nothing else of the service. */
export interface Observed {
  /** By muid: every message that a client tried to send, acknowledged or not. */
  readonly attempted: ReadonlyMap<string, { readonly conversation: string }>
  /** By muid: what was answered with 200. */
  readonly acknowledged: ReadonlyMap<string, { readonly conversation: string; readonly id: number }>
  /** Whole conversations, oldest first; each as several readers were shown it. */
  readonly histories: readonly History[]
  readonly devices: readonly Device[]
  readonly unread: readonly Unread[]
  /** Ids of messages, as often as the feed of events had them. Those of two processes may cross. */
  readonly feed: readonly number[]
  /** Whose messages the feed is about. */
  readonly inFeed: readonly string[]
  /** What webhooks told, as often as they did. */
  readonly webhooks: readonly { readonly conversation: string; readonly id: number }[]
  readonly withWebhooks: readonly string[]
  readonly statistics: readonly {
    readonly app: string
    readonly shown: number
    readonly stored: number
  }[]
  readonly searched: readonly { readonly id: number; readonly found: boolean }[]
}

export interface History {
  readonly conversation: string
  readonly reader: string
  readonly messages: readonly { readonly id: number; readonly muid: string }[]
}

export interface Device {
  readonly name: string
  readonly conversation: string
  readonly received: readonly { readonly seq: number; readonly id: number }[]
  /** It was told to read the conversation anew, so it need not have received all of it. */
  readonly reloaded: boolean
}

export interface Unread {
  readonly user: string
  readonly conversation: string
  readonly shown: number
  /** Of the history: what others sent after the message up to which the user has read. */
  readonly counted: number
}
