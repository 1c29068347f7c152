import { type ChatConversation, type ChatMessage, type ListState, SessionError } from '@chorale/sdk'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { useLive } from '../hooks/live.ts'
import { useChatContext } from '../provider/context.ts'

/**
 * Marks a conversation as read while its end is seen. Returns the key of the message that was the
 * first unread one when it was opened.
 */
export function useReading(
  conversation: ChatConversation,
  { items, status }: ListState<ChatMessage>,
  isAtEnd: boolean,
): string | undefined {
  const { onError } = useChatContext()
  const unread = useLive(conversation.unread)
  const isSeen = useSyncExternalStore(watchPage, isPageSeen, () => false)
  const newest = useRef<string | undefined>(undefined)
  const [first, setFirst] = useState<{ readonly key: string | undefined }>()
  useEffect(() => {
    if (status !== 'ready') return
    newest.current ??= items.at(-1)?.key
    if (unread === 0) return
    const { current: opened } = newest
    setFirst((known) => known ?? { key: firstUnread(items, unread, opened) })
    if (!isSeen || !isAtEnd) return
    conversation.markRead().catch((error: unknown) => {
      // The next connection brings the unread count again, and with it the next attempt.
      if (!(error instanceof SessionError)) onError(error)
    })
  }, [conversation, items, status, unread, isSeen, isAtEnd, onError])
  return first?.key
}

/** Undefined for one after the message that was the newest when it was opened: that is read as it comes. */
function firstUnread(
  items: readonly ChatMessage[],
  unread: number,
  newest: string | undefined,
): string | undefined {
  let left = unread
  let isOlder = false
  for (const message of items.toReversed()) {
    isOlder ||= message.key === newest
    if (!message.isOwn && message.category !== 'action') left--
    if (left === 0) return isOlder ? message.key : undefined
  }
  return undefined
}

function watchPage(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}

function isPageSeen(): boolean {
  return document.visibilityState === 'visible'
}
