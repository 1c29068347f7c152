export { heldConversations, isKept } from './holds.sql.ts'
export { holdHandlers, requireNoHoldOn } from './holds.ts'
