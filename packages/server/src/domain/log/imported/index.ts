export { findEntriesAt } from './entries.sql.ts'
export { advancePositions, type ImportedMove, importMoves, lockPositions } from './positions.sql.ts'
