export { stats } from './stats.ts'
