export { visibleFrom } from './access.sql.ts'
export { actorOf } from './access.ts'
export {
  countUnread,
  deleteUserConversations,
  type Reader,
  unreadTotals,
} from './conversations.sql.ts'
export { conversationHandlers } from './conversations.ts'
export { type GroupRow, groupColumns, groupSource } from './counterparts.sql.ts'
export {
  askAhead,
  groupConversationId,
  knowing,
  loadCounterparts,
  openPeople,
  type People,
  peopleIn,
  shownGroup,
} from './counterparts.ts'
export {
  actionOf,
  type ConversationKey,
  type Entry,
  type EntryRef,
  type EntryRow,
  type Extra,
  freshRow,
  movementOf,
  opened,
  otherThan,
  type Question,
  type Receiver,
  type Sealed,
  type Verdict,
} from './entries.ts'
export {
  dropHidden,
  editEntry,
  hideEntry,
  keepHidden,
  updateExtra,
  withdrawEntry,
} from './entry-changes.sql.ts'
export { openFeed } from './feed.ts'
export { pairsOf } from './labels.ts'
export { eraseDeletedLogs } from './log.on.ts'
export {
  type AppendAddition,
  adjustParticipants,
  deleteConversation,
  deleteParticipants,
  ensureUserConversation,
  entryColumns,
  findEntry,
  insertConversation,
  insertParticipants,
  type NewEntry,
  type Placed,
} from './log.sql.ts'
export { type Appended, appendWithin, openAppendLane } from './log.ts'
export { lockPosition } from './positions.sql.ts'
export { positionHandlers } from './positions.ts'
export { printEntries, printFresh } from './print-entries.ts'
export { findReceiver } from './receivers.sql.ts'
