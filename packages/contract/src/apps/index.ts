export * from './api-keys.ts'
export * from './app-settings.ts'
export * from './apps.ts'
export * from './event-feed.ts'
