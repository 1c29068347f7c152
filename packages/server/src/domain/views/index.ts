export { type GroupRow, groupColumns, groupColumnsText, groupSource } from './counterparts.sql.ts'
export {
  type Found,
  groupConversationId,
  loadCounterparts,
  openProfileLoader,
  type ProfileLoader,
  prefetchProfiles,
  profilesIn,
  shownGroup,
  withCachedGroup,
  withCachedProfiles,
} from './counterparts.ts'
export { openFeed } from './feed.ts'
export { serialiseEntries, serialiseFresh, serialiseKnown } from './serialise-entries.ts'
export { picturesOf } from './shown-files.ts'
