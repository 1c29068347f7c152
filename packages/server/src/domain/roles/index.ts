export { restrictedFeatureHandlers } from './restricted-features.ts'
export { rolePermissionHandlers } from './role-permissions.ts'
export { roleExists } from './roles.sql.ts'
export { roleHandlers, seedRoles } from './roles.ts'
