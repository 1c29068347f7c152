export { importHandlers } from './imports.ts'
