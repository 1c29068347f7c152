export * from './banned-users.ts'
export * from './groups.ts'
export * from './members.ts'
export * from './scope-permissions.ts'
