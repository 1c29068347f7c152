import type { Conversation } from '../contract.generated.ts'
import type { Ask } from '../session/ask.ts'
import type { ConversationItem, ConversationRows } from './conversation-rows.ts'
import { type LiveList, openLive } from './live.ts'
import { openPaging } from './paging.ts'

export interface ConversationList extends LiveList<ConversationItem> {
  changed(): void
  retry(): void
}

const perPage = 30

/** The conversations of the user, the newest first. */
export function openConversationList(call: Ask, rows: ConversationRows): ConversationList {
  /** What is older may be known for its unread count, but the rows before it are not loaded yet. */
  let oldest = Number.POSITIVE_INFINITY

  const paging = openPaging<Conversation>({
    async fetch(cursor) {
      const query = { perPage, ...(cursor !== undefined && { cursor }) }
      const { data, meta } = await call('listConversations', { query })
      return { items: data, next: meta.cursor.next }
    },
    take(conversations) {
      for (const one of conversations) rows.offer(one)
      oldest = conversations.at(-1)?.updatedAt ?? 0
    },
    onChange: () => live.changed(),
  })
  const live = openLive(
    () => {
      const { state } = paging
      const isLoaded = ({ updatedAt }: ConversationItem) => !state.hasMore || updatedAt >= oldest
      return { ...state, items: rows.items().filter(isLoaded) }
    },
    () => {
      rows.activate()
      paging.start()
    },
  )
  return {
    ...live,
    loadMore() {
      rows.activate()
      return paging.more()
    },
    retry: paging.retry,
  }
}
