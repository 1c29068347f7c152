export { blockedUserHandlers, blockFor } from './blocked-users.ts'
export { friendHandlers } from './friends.ts'
export { openRelationships } from './relationships.ts'
