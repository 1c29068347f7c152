export * from './file-stores.ts'
export * from './uploads.ts'
