export { apiKeyHandlers, listKeysOf, makeApiKey, revokeKeyOf } from './api-keys.ts'
export { listManagementKeys, revokeManagementKey, unknownApps } from './management-keys.sql.ts'
export { createManagementKey, stateOf } from './management-keys.ts'
