export { supportedUsers } from './supported-users.ts'
export { type TimelineStep, timelines } from './timelines.ts'
