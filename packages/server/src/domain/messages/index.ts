export { messageHandlers } from './messages.ts'
export { type Sending, sendHandlers } from './send.ts'
