export { bannedUserHandlers } from './banned-users.ts'
export { expel } from './expulsion.ts'
export { ensureGroup, groupHandlers } from './groups.ts'
export {
  findGroupsToFill,
  hashMissing,
  importGroups,
  importMembers,
} from './import.ts'
export { memberHandlers } from './members.ts'
export { scopePermissionHandlers } from './scope-permissions.ts'
export { leaveAllGroups } from './user-deletion.ts'
