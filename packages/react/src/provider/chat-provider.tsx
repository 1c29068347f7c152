import type { Chat } from '@chorale/sdk'
import { type ReactNode, useMemo } from 'react'
import { ChatContext } from './context.ts'

export interface ChatProviderProps {
  /** From `createChat`. Whoever has made it closes it. */
  readonly chat: Chat
  /** What went wrong where no component can show it. Printed unless given. */
  readonly onError?: (error: unknown) => void
  readonly children?: ReactNode
}

export function ChatProvider({ chat, onError = console.error, children }: ChatProviderProps) {
  const value = useMemo(() => ({ chat, onError }), [chat, onError])
  return <ChatContext value={value}>{children}</ChatContext>
}
