export { requireUser, systemUid } from './access.ts'
export { authTokenHandlers } from './auth-tokens.ts'
export { importUsers } from './import.ts'
export { meHandlers } from './me.ts'
export { openPresenceStore } from './presence.ts'
export { conversationIdOf, shown as shownUser, sortName, type UserView } from './user-view.ts'
export {
  existingUids,
  findSeenUsers,
  findUsers,
  type SeenUser,
  type UserRow,
  userColumnsText,
} from './users.sql.ts'
export { ensureUsers, seedUsers, userHandlers } from './users.ts'
export { unseenAmong } from './visibility.ts'
