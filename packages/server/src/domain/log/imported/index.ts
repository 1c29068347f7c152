export { findEntriesAt } from './entries.sql.ts'
export { findMarks, findUnreadMarks, type Marked, setReads } from './marks.sql.ts'
export { keysTable, type ParticipantKey } from './participant-keys.sql.ts'
export { advancePositions, type ImportedMove, importMoves, lockPositions } from './positions.sql.ts'
