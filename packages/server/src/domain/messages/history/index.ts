export { historyHandlers } from './history.ts'
export { within } from './windows.sql.ts'
export { type Place, placeOf, windowMeta } from './windows.ts'
