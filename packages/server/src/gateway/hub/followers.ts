import type { Signals } from '../../bus/signals.ts'
import type { ConversationKey } from '../../outbox/committed.ts'
import type { FollowedConversation } from '../../realtime/ports.ts'
import { type ConversationSignal, conversationSubject } from '../../realtime/subjects.ts'
import { Follower, type FollowerParts } from './follower.ts'

interface Open {
  readonly follower: Follower
  readonly stop: () => void
}

/** The conversations that someone here listens to; nobody listens to the others. */
export interface Followers {
  /** The one there is, or a new one that has not begun. */
  open(followed: FollowedConversation): Follower
  /** Ends it if nobody listens any more. */
  release(followed: ConversationKey): void
  all(): Iterable<Follower>
  find(at: ConversationKey): Follower | undefined
  readonly size: number
}

export function openFollowers(signals: Signals, parts: FollowerParts): Followers {
  const open = new Map<string, Open>()
  return {
    open(followed) {
      const name = nameOf(followed)
      const known = open.get(name)
      if (known) return known.follower
      const { appId, bucket, key, label, receiver } = followed
      const follower = new Follower({ appId, bucket, key, label, receiver }, parts)
      const stop = signals.listen(conversationSubject(followed), (text) => {
        // Written by another process of this install.
        follower.hear(JSON.parse(text) as ConversationSignal)
      })
      open.set(name, { follower, stop })
      return follower
    },
    release(at) {
      const known = open.get(nameOf(at))
      if (!known || known.follower.channel.size > 0) return
      open.delete(nameOf(at))
      known.stop()
      known.follower.end()
    },
    *all() {
      for (const { follower } of open.values()) yield follower
    },
    find: (at) => open.get(nameOf(at))?.follower,
    get size() {
      return open.size
    },
  }
}

function nameOf({ bucket, key }: ConversationKey): string {
  return `${bucket}/${key}`
}
