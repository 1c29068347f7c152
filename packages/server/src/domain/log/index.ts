export { findUserConversations } from './import.sql.ts'
export {
  type ImportedEntry,
  importEntries,
  type PlacedImport,
  type RefusedImport,
} from './import.ts'
export { eraseDeletedLogs } from './log.on.ts'
export {
  type AppendAddition,
  type Appended,
  type Expected,
  entryColumns,
  findEntry,
  type NewEntry,
  type Placed,
  type Seen,
} from './log.sql.ts'
export { appendWithin, openAppendBatcher } from './log.ts'
export { findReceiver } from './receivers.sql.ts'
export { findWrongCounters, type LogCounter, repairCounter } from './repair.sql.ts'
