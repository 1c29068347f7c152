export {
  actionOf,
  type Entry,
  type EntryFile,
  type EntryRow,
  type Extra,
  freshRow,
  movementOf,
  opened,
  otherThan,
  type Question,
  refersTo,
  seenBy,
  type Verdict,
} from './entries.ts'
export {
  dropHidden,
  editEntry,
  hideEntry,
  keepHidden,
  setFileInEntry,
  updateExtra,
  withdrawEntry,
} from './entry-changes.sql.ts'
