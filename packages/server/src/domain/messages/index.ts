export { historyHandlers } from './history.ts'
export { messageHandlers } from './messages.ts'
export { indexMessages } from './search.on.ts'
export { type Sending, sendHandlers } from './send.ts'
