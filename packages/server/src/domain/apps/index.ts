export { readSettings } from './app-settings.sql.ts'
export { appSettingHandlers } from './app-settings.ts'
export { lockApp, nextModerationVersion, setHeld } from './apps.sql.ts'
export {
  type AppSeed,
  appHandlers,
  appsHandlers,
  archiveAppNow,
  createApp,
  listAllApps,
} from './apps.ts'
export { auditLogHandlers, shownEntry } from './audit-log.ts'
export { erasureQueue } from './erasure.sql.ts'
export { erasureJobs } from './erasure.ts'
export { checkDevicesWith, openIdentities, type SignIn, tokenPlace } from './identify.ts'
export { limitOf } from './limits.ts'
