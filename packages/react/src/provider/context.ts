import type { Chat } from '@chorale/sdk'
import { createContext, useContext } from 'react'
import type { Format } from './format.ts'
import type { Slots, StoredFile } from './slots.ts'
import type { Strings } from './strings.ts'
import type { UserBook } from './users.ts'

export interface ChatContextValue {
  readonly chat: Chat
  readonly strings: Strings
  readonly format: Format
  readonly components: Partial<Slots>
  /** Stores a file; without it there is no button for files. */
  readonly uploadFile: ((file: File) => Promise<StoredFile>) | undefined
  /** Which reactions are offered. */
  readonly reactions: readonly string[]
  readonly users: UserBook
  /** What went wrong where the component that did it cannot show so. */
  readonly onError: (error: unknown) => void
}

export const ChatContext = createContext<ChatContextValue | undefined>(undefined)

export function useChatContext(): ChatContextValue {
  const value = useContext(ChatContext)
  if (!value) throw new Error('Put the component inside <ChatProvider chat={createChat(...)}>.')
  return value
}

export function useStrings(): Strings {
  return useChatContext().strings
}

export function useFormat(): Format {
  return useChatContext().format
}

/** The component that the application has put in its place, or ours. */
export function useSlot<N extends keyof Slots>(name: N, ours: Slots[N]): Slots[N] {
  return useChatContext().components[name] ?? ours
}
