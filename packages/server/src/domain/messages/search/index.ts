export { indexMessages } from './search.on.ts'
