export { countEvents } from './stats.on.ts'
export { statsHandlers } from './stats.ts'
