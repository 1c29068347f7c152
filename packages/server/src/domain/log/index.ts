export { eraseDeletedLogs } from './log.on.ts'
export {
  type AppendAddition,
  entryColumns,
  findEntry,
  type NewEntry,
  type Placed,
} from './log.sql.ts'
export { type Appended, appendWithin, openAppendBatcher } from './log.ts'
export { findReceiver } from './receivers.sql.ts'
