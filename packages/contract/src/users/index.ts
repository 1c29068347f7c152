export * from './auth-tokens.ts'
export * from './blocked-users.ts'
export * from './friends.ts'
export * from './users.ts'
