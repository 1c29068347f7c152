import type { ChatConversation, ChatMessage } from '@chorale/sdk'
import { createContext, useContext } from 'react'

/** What somebody is about to do with a message. */
export interface Intent {
  readonly kind: 'reply' | 'edit'
  readonly message: ChatMessage
}

/** Shows the message with this id; false: it is not loaded. */
export type Show = (id: string) => boolean

export interface ConversationContextValue {
  readonly conversation: ChatConversation
  /** Scrolls to a message, and loads older ones if it is among those. */
  readonly showMessage: (id: string) => void
  /** Lists that can show a message. */
  readonly onShow: (show: Show) => () => void
  /** Begins a quoting reply, or an edit. */
  readonly begin: (intent: Intent) => void
  /** Opens the thread of a message; undefined where there is no place for one. */
  readonly openThread: ((message: ChatMessage) => void) | undefined
}

export const ConversationContext = createContext<ConversationContextValue | undefined>(undefined)

export function useConversationContext(): ConversationContextValue {
  const value = useContext(ConversationContext)
  if (!value) throw new Error('Put the component inside <ConversationProvider target={...}>.')
  return value
}

/** What the composer is about to do; apart, because rows do not render for it. */
export interface IntentValue {
  readonly intent: Intent | undefined
  readonly end: () => void
}

export const IntentContext = createContext<IntentValue>({ intent: undefined, end: () => undefined })
