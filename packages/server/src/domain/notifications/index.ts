export { muteHandlers } from './mutes.ts'
export { notificationPreferenceHandlers } from './preferences.ts'
export { notificationSettingHandlers } from './settings.ts'
export { timezoneHandlers } from './timezones.ts'
