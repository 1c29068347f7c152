export { eventFeedHandlers } from './event-feed.ts'
