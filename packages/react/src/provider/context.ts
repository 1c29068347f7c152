import type { Chat } from '@chorale/sdk'
import { createContext, useContext } from 'react'

export interface ChatContextValue {
  readonly chat: Chat
  /** What went wrong where the component that did it cannot show so. */
  readonly onError: (error: unknown) => void
}

export const ChatContext = createContext<ChatContextValue | undefined>(undefined)

export function useChatContext(): ChatContextValue {
  const value = useContext(ChatContext)
  if (!value) throw new Error('Put the component inside <ChatProvider chat={createChat(...)}>.')
  return value
}
