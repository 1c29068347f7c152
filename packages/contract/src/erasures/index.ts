export * from './erasures.ts'
