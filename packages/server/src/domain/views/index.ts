export { type GroupRow, groupColumns, groupSource } from './counterparts.sql.ts'
export {
  askAhead,
  groupConversationId,
  knowing,
  loadCounterparts,
  openPeople,
  type People,
  peopleIn,
  shownGroup,
} from './counterparts.ts'
export { openFeed } from './feed.ts'
export { printEntries, printFresh } from './print-entries.ts'
