export * from './holds.ts'
