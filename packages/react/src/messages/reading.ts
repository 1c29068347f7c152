import type { ChatConversation, ChatMessage, ListState } from '@chorale/sdk'
import { useEffect, useState, useSyncExternalStore } from 'react'
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
  const [first, setFirst] = useState<{ readonly key: string | undefined }>()
  useEffect(() => {
    if (status !== 'ready' || unread === 0) return
    setFirst((known) => known ?? { key: firstUnread(items, unread) })
    if (isSeen && isAtEnd) conversation.markRead().catch(onError)
  }, [conversation, items, status, unread, isSeen, isAtEnd, onError])
  // What comes after the conversation was opened is read as it comes.
  useEffect(() => {
    if (status === 'ready' && isSeen) setFirst((known) => known ?? { key: undefined })
  }, [status, isSeen])
  return first?.key
}

function firstUnread(items: readonly ChatMessage[], unread: number): string | undefined {
  let left = unread
  for (let place = items.length - 1; place >= 0; place--) {
    const message = items[place]
    if (message && !message.isOwn && message.category !== 'action' && --left === 0) {
      return message.key
    }
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
