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
export { ChatProvider, type ChatProviderProps } from './provider/chat-provider.tsx'
