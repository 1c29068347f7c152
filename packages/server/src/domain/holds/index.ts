export { anyHold, type Held, heldConversations, holdsOver, isKept } from './holds.sql.ts'
export { holdHandlers, requireNoHoldOn } from './holds.ts'
