import type {
  Chat,
  ChatConversation,
  ChatMessage,
  ConnectionState,
  ConversationItem,
  Member,
  MessageRef,
  Presence,
  Receipts,
  Target,
  Thread,
  User,
} from '@chorale/sdk'
import { useMemo } from 'react'
import { useChatContext } from '../provider/context.ts'
import { type LoadedList, useLive, useLiveList } from './live.ts'

/** The chat that was given to `ChatProvider`. */
export function useChat(): Chat {
  return useChatContext().chat
}

/** Undefined until the service has said who it is. */
export function useMe(): User | undefined {
  return useLive(useChat().me)
}

export function useConnection(): ConnectionState {
  return useLive(useChat().connection)
}

/** The newest first. */
export function useConversations(): LoadedList<ConversationItem> {
  return useLiveList(useChat().conversations())
}

/** What can be done in a conversation. It is the same object for the same receiver. */
export function useConversation(target: Target): ChatConversation {
  return useChat().conversation(target)
}

/** The oldest first; `loadMore` loads older ones. */
export function useMessages(target: Target): LoadedList<ChatMessage> {
  return useLiveList(useConversation(target).messages)
}

/** Of one conversation, or of all of them together. */
export function useUnread(target?: Target): number {
  const chat = useChat()
  return useLive(target ? chat.conversation(target).unread : chat.unread)
}

/** Uids of the others who type now. */
export function useTyping(target: Target): readonly string[] {
  return useLive(useConversation(target).typingUsers)
}

/** Of a group; empty for a user. */
export function useMembers(target: Target): LoadedList<Member> {
  return useLiveList(useConversation(target).members)
}

export function usePinned(target: Target): readonly ChatMessage[] {
  return useLive(useConversation(target).pinned)
}

/** How far each of the others has come, by uid, as far as it was told since the chat began. */
export function useReceipts(target: Target): Readonly<Record<string, Receipts>> {
  return useLive(useConversation(target).receipts)
}

/** Undefined until it is known. */
export function usePresence(uid: string): Presence | undefined {
  return useLive(useChat().presence(uid))
}

/** The replies to a message: `useLiveList(thread.messages)` shows them. */
export function useThread(target: Target, of: MessageRef): Thread {
  const conversation = useConversation(target)
  const id = typeof of === 'string' ? of : (of.id ?? '')
  return useMemo(() => conversation.thread(id), [conversation, id])
}
