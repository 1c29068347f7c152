import type { ChatConversation, ChatMessage, Target } from '@chorale/sdk'
import { type ReactNode, useMemo, useState } from 'react'
import { useConversation } from '../hooks/chat.ts'
import { useChatContext } from './context.ts'
import {
  ConversationContext,
  type Intent,
  IntentContext,
  type Show,
} from './conversation-context.ts'

export interface ConversationProviderProps {
  readonly target: Target
  /** Without it there is no button for threads. Keep the function between renders. */
  readonly onOpenThread?: ((message: ChatMessage) => void) | undefined
  readonly children?: ReactNode
}

/** What a list of messages and a composer of the same conversation have in common. */
export function ConversationProvider({
  target,
  onOpenThread,
  children,
}: ConversationProviderProps) {
  const conversation = useConversation(target)
  const { onError, strings } = useChatContext()
  const [intent, setIntent] = useState<Intent>()
  const value = useMemo(() => {
    const shows = new Set<Show>()
    const show = (id: string) => [...shows].some((one) => one(id))
    return {
      conversation,
      showMessage(id: string) {
        showLoading(conversation, id, show).then((isShown) => {
          if (!isShown) onError(new Error(strings.notLoaded))
        }, onError)
      },
      onShow(one: Show) {
        shows.add(one)
        return () => void shows.delete(one)
      },
      begin: setIntent,
      openThread: onOpenThread,
    }
  }, [conversation, onOpenThread, onError, strings])
  const intended = useMemo(() => ({ intent, end: () => setIntent(undefined) }), [intent])
  return (
    <ConversationContext value={value}>
      <IntentContext value={intended}>{children}</IntentContext>
    </ConversationContext>
  )
}

/** How many pages are loaded to find a message. */
const maxPages = 40

async function showLoading(
  { messages }: ChatConversation,
  id: string,
  show: Show,
): Promise<boolean> {
  for (let left = maxPages; left > 0; left--) {
    if (show(id)) return true
    const { hasMore, items } = messages.getSnapshot()
    const oldest = items.find((message) => message.id !== undefined)?.id
    if (!hasMore || Number(oldest) < Number(id)) return false
    await messages.loadMore()
    // Lists hear of it, and render, in turns of their own.
    await new Promise((resolve) => setTimeout(resolve))
  }
  return false
}
