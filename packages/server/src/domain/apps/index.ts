export { apiKeyHandlers, listKeysOf, makeApiKey, revokeKeyOf } from './api-keys.ts'
export { readSettings } from './app-settings.sql.ts'
export { appSettingHandlers } from './app-settings.ts'
export { lockApp, nextModerationVersion } from './apps.sql.ts'
export { appHandlers, appsHandlers, archiveAppNow, createApp, listAllApps } from './apps.ts'
export { auditLogHandlers, shownEntry } from './audit-log.ts'
export { erasureErrands } from './erasure.ts'
export { checkDevicesWith, identifyWith, tokenPlace } from './identify.ts'
export { limitOf } from './limits.ts'
export {
  listManagementKeys,
  revokeManagementKey,
  unknownApps,
} from './management-keys.sql.ts'
export { createManagementKey, stateOf } from './management-keys.ts'
