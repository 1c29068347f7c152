export { deleteUserConversations } from './conversations.sql.ts'
export { conversationHandlers } from './conversations.ts'
export { type GroupRow, groupColumns, groupSource } from './counterparts.sql.ts'
export { type Counterparts, loadCounterparts, shownGroup } from './counterparts.ts'
export { type EntryRow, shownEntry } from './entry-view.ts'
export {
  adjustParticipants,
  appendEntries,
  type ConversationKey,
  deleteConversation,
  deleteParticipants,
  ensureUserConversation,
  insertConversation,
  insertParticipants,
} from './log.sql.ts'
export { openAppendLane } from './log.ts'
export { positionHandlers } from './positions.ts'
