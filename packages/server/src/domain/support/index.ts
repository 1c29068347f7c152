export { supportedUserHandlers } from './supported-users.ts'
export { timelineHandlers } from './timelines.ts'
