export * from './conversations.ts'
export * from './entries.ts'
export * from './positions.ts'
