export { historyHandlers } from './history.ts'
export { messageHandlers } from './messages.ts'
export { type Sending, sendHandlers } from './send.ts'
