export * from './retention.ts'
