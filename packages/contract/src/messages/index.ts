export * from './history.ts'
export * from './messages.ts'
