export * from './deliveries.ts'
export * from './triggers.ts'
export * from './webhooks.ts'
