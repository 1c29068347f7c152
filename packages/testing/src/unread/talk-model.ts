/** An entry of a conversation, as far as unread counts go. */
export interface TalkEntry {
  /** Unknown where no answer told it: such an entry is never marked. */
  readonly id: string | undefined
  readonly sender: string
  readonly counts: boolean
  /** Becomes the last message that lists show. */
  readonly shows: boolean
  readonly kind: 'text' | 'custom' | 'action'
  readonly muid?: string
  /** Deleted since; `erased`: for ever. */
  withdrawn?: 'hidden' | 'erased'
}

interface Place {
  read: number
  reset: number
}

/** A conversation in plain lists. It keeps no count: whenever one is wanted, it is counted. */
export class TalkModel {
  readonly entries: TalkEntry[] = []
  readonly places = new Map<string, Place>()
  readonly banned = new Set<string>()
  /** In a conversation of two: who has blocked the other. */
  readonly blockers = new Set<string>()
  /** Given so far. */
  muids = 0

  /** Who comes has seen everything so far. */
  arrive(uid: string): void {
    this.places.set(uid, { read: this.entries.length, reset: 0 })
  }

  /** Entries behind the position that count, are not withdrawn and are someone else's. */
  unreadOf(uid: string): number {
    const { read } = this.placeOf(uid)
    let unread = 0
    for (let at = read; at < this.entries.length; at++) {
      const entry = this.entries[at]
      if (entry?.counts && !entry.withdrawn && entry.sender !== uid) unread++
    }
    return unread
  }

  /** Lists have it once something has shown since the reset. */
  isListedFor(uid: string): boolean {
    return this.entries.findLastIndex(({ shows }) => shows) >= this.placeOf(uid).reset
  }

  placeOf(uid: string): Place {
    const found = this.places.get(uid)
    if (!found) throw new Error(`${uid} takes no part.`)
    return found
  }

  /** Hides everything so far, as read. */
  reset(uid: string): void {
    this.places.set(uid, { read: this.entries.length, reset: this.entries.length })
  }
}
