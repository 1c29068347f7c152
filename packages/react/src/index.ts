export { Composer } from './composer/composer.tsx'
export { MentionOption } from './composer/mention-list.tsx'
export { ConnectionBanner } from './conversations/connection-banner.tsx'
export { ConversationHeader } from './conversations/conversation-header.tsx'
export { type ConversationInfo, useConversationInfo } from './conversations/conversation-info.ts'
export {
  ConversationList,
  type ConversationListProps,
  ConversationRow,
} from './conversations/conversation-list.tsx'
export { TypingIndicator } from './conversations/typing-indicator.tsx'
export { UnreadBadge } from './conversations/unread-badge.tsx'
export {
  useChat,
  useConnection,
  useConversation,
  useConversations,
  useMe,
  useMembers,
  useMessages,
  usePinned,
  usePresence,
  useReceipts,
  useThread,
  useTyping,
  useUnread,
} from './hooks/chat.ts'
export { type LoadedList, useLive, useLiveList } from './hooks/live.ts'
export { type SearchState, useSearch } from './hooks/search.ts'
export { Attachment } from './messages/attachment.tsx'
export { MessageActions } from './messages/message-actions.tsx'
export { MessageList } from './messages/message-list.tsx'
export { MessageRow } from './messages/message-row.tsx'
export { MessageText } from './messages/message-text.tsx'
export { Reactions } from './messages/reactions.tsx'
export { Search, type SearchProps, SearchResult } from './messages/search.tsx'
export { QuotedMessage, Receipt } from './messages/small-parts.tsx'
export { Avatar } from './people/avatar.tsx'
export { MemberList, MemberRow } from './people/member-list.tsx'
export { PresenceBadge } from './people/presence-badge.tsx'
export { useUser } from './people/use-user.ts'
export { ChatProvider, type ChatProviderProps } from './provider/chat-provider.tsx'
export { useFormat, useStrings } from './provider/context.ts'
export {
  type ConversationContextValue,
  type Intent,
  useConversationContext,
} from './provider/conversation-context.ts'
export {
  ConversationProvider,
  type ConversationProviderProps,
} from './provider/conversation-provider.tsx'
export type { Format } from './provider/format.ts'
export type * from './provider/slots.ts'
export { english, type Strings } from './provider/strings.ts'
export { ChatScreen, type ChatScreenProps } from './screen/chat-screen.tsx'
export { ConversationView, type ConversationViewProps } from './screen/conversation-view.tsx'
export { ThreadView, type ThreadViewProps } from './screen/thread-view.tsx'
