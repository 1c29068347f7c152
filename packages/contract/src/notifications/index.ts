export * from './mutes.ts'
export * from './preferences.ts'
export * from './settings.ts'
export * from './timezones.ts'
