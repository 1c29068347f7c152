export * from './event.ts'
export * from './event-feed.ts'
