export { accessMessage, actingUid, requireStanding } from './access.ts'
export {
  asFound,
  type FoundRow,
  findMessage,
  foundColumns,
  lockConversationOf,
  sides,
} from './messages.sql.ts'
export { recordAction } from './record-action.ts'
export { forgetDeletedGroups } from './traces.on.ts'
export { deleteTraces } from './traces.sql.ts'
