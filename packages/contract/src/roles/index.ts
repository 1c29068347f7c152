export * from './restricted-features.ts'
export * from './role-permissions.ts'
export * from './roles.ts'
