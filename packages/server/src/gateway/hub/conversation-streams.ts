import type { Signals } from '../../bus/signals.ts'
import type { ConversationKey } from '../../outbox/committed.ts'
import type { FollowedConversation } from '../../realtime/ports.ts'
import { type ConversationSignal, conversationSubject } from '../../realtime/subjects.ts'
import { ConversationStream, type ConversationStreamParts } from './conversation-stream.ts'

interface Open {
  readonly stream: ConversationStream
  readonly stop: () => void
}

/** The conversations that someone here listens to; nobody listens to the others. */
export interface ConversationStreams {
  /** The one there is, or a new one that has not begun. */
  open(followed: FollowedConversation): ConversationStream
  /** Ends it if nobody listens any more. */
  release(followed: ConversationKey): void
  all(): Iterable<ConversationStream>
  find(at: ConversationKey): ConversationStream | undefined
  readonly size: number
}

export function openConversationStreams(
  signals: Signals,
  parts: ConversationStreamParts,
): ConversationStreams {
  const open = new Map<string, Open>()
  return {
    open(followed) {
      const name = nameOf(followed)
      const known = open.get(name)
      if (known) return known.stream
      const { appId, bucket, key, label, receiver } = followed
      const stream = new ConversationStream({ appId, bucket, key, label, receiver }, parts)
      const stop = signals.listen(conversationSubject(followed), (text) => {
        // Written by another process of this install.
        stream.hear(JSON.parse(text) as ConversationSignal)
      })
      open.set(name, { stream, stop })
      return stream
    },
    release(at) {
      const known = open.get(nameOf(at))
      if (!known || known.stream.channel.size > 0) return
      open.delete(nameOf(at))
      known.stop()
      known.stream.end()
    },
    *all() {
      for (const { stream } of open.values()) yield stream
    },
    find: (at) => open.get(nameOf(at))?.stream,
    get size() {
      return open.size
    },
  }
}

function nameOf({ bucket, key }: ConversationKey): string {
  return `${bucket}/${key}`
}
