export {
  type Beginning,
  deleteMoves,
  emptyEntries,
  readBeginning,
} from './beginning.sql.ts'
export { eraseEntries, eraseEntry, renameInEntry } from './erasure.sql.ts'
