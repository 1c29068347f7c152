export * from './history.ts'
export * from './messages.ts'
export * from './reactions.ts'
export * from './windows.ts'
