import type { Chat, ConversationItem, ListState } from '@chorale/sdk'
import { useMemo } from 'react'
import { type LoadedList, useLive } from '../hooks/live.ts'
import { useChatContext } from '../provider/context.ts'

/** The conversations without who is online: badges show that, and rows do not render for it. */
export function useConversationRows(): LoadedList<ConversationItem> {
  const { chat } = useChatContext()
  const rows = useMemo(() => withoutPresence(chat), [chat])
  return { ...useLive(rows), loadMore: rows.loadMore }
}

function withoutPresence(chat: Chat) {
  const { subscribe, getSnapshot, loadMore } = chat.conversations()
  let from = getSnapshot()
  let shown = from
  return {
    subscribe,
    loadMore,
    getSnapshot(): ListState<ConversationItem> {
      const now = getSnapshot()
      if (now === from) return shown
      from = now
      shown = withKept(shown, now)
      return shown
    },
  }
}

/** The rows as they are now; those that differ in presence only are the old objects. */
function withKept(
  before: ListState<ConversationItem>,
  now: ListState<ConversationItem>,
): ListState<ConversationItem> {
  const known = new Map(before.items.map((item) => [item.conversationId, item]))
  const items = now.items.map((item) => {
    const old = known.get(item.conversationId)
    return old && isSame(old, item) ? old : item
  })
  const isSameList =
    items.length === before.items.length &&
    items.every((item, place) => item === before.items[place]) &&
    now.status === before.status &&
    now.hasMore === before.hasMore &&
    now.error === before.error
  return isSameList ? before : { ...now, items }
}

function isSame(a: ConversationItem, b: ConversationItem): boolean {
  return a === b || JSON.stringify(a, withoutStatus) === JSON.stringify(b, withoutStatus)
}

/** Of users, wherever they are. */
function withoutStatus(name: string, value: unknown): unknown {
  return name === 'status' || name === 'lastActiveAt' ? undefined : value
}
