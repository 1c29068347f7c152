export { visibleFrom } from './access.sql.ts'
export { deleteUserConversations } from './conversations.sql.ts'
export { conversationHandlers } from './conversations.ts'
export { type GroupRow, groupColumns, groupSource } from './counterparts.sql.ts'
export { type Counterparts, loadCounterparts, shownGroup } from './counterparts.ts'
export { type EntryRow, type Receiver, shownEntry } from './entry-view.ts'
export {
  adjustParticipants,
  appendEntries,
  type ConversationKey,
  deleteConversation,
  deleteParticipants,
  ensureUserConversation,
  entryColumns,
  findEntry,
  insertConversation,
  insertParticipants,
  type NewEntry,
} from './log.sql.ts'
export { type Appended, openAppendLane } from './log.ts'
export { positionHandlers } from './positions.ts'
export { showEntries } from './show-entries.ts'
