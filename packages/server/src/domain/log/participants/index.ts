export {
  adjustParticipants,
  deleteConversation,
  deleteParticipants,
  deleteUserConversations,
  ensureUserConversation,
  findUserConversation,
  insertConversation,
  insertParticipants,
  lockHead,
  resetFor,
  setTags,
} from './participants.sql.ts'
export {
  findHead,
  findMark,
  lockPosition,
  type Mark,
  type Position,
  recordMoves,
  setDelivered,
  setRead,
} from './positions.sql.ts'
