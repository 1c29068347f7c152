export { historyHandlers } from './history.ts'
export { messageHandlers } from './messages.ts'
export {
  type EntryPlace,
  type EntrySpan,
  indexEntries,
  type SearchPage,
  type SearchResult,
  type SearchScope,
  searchEntries,
} from './search.ts'
export { type Sending, sendHandlers } from './send.ts'
