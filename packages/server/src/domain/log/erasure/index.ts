export { eraseEntries, eraseEntry, renameInEntry } from './erasure.sql.ts'
