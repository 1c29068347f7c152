export { type Operating, operatorHandlers } from './operators.ts'
