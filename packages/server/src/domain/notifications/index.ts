export { notificationSettingHandlers } from './settings.ts'
