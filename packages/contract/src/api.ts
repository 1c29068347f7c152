import {
  apiKeys,
  app,
  appSettings,
  apps,
  auditLog,
  collaborators,
  sessions,
  tenants,
} from './apps/index.ts'
import { conversations, positions } from './conversations/index.ts'
import { erasures } from './erasures/index.ts'
import { eventFeed } from './events/index.ts'
import { fileStores, uploads } from './files/index.ts'
import { bannedUsers, groups, members, scopePermissions } from './groups/index.ts'
import { holds } from './holds/index.ts'
import { imports } from './imports/index.ts'
import {
  edits,
  history,
  interactions,
  messages,
  pins,
  reactions,
  receipts,
  saves,
  threads,
} from './messages/index.ts'
import {
  blockedMessages,
  blockedMessagesOfApp,
  claims,
  flaggedMessages,
  reasons,
  submissions,
} from './moderation/index.ts'
import {
  carriers,
  contactDetails,
  customProviders,
  explain,
  extensions,
  mutes,
  notificationLogs,
  notificationPreferences,
  notificationSettings,
  pushCertificates,
  pushProviders,
  pushSettings,
  pushTests,
  pushTokens,
  timezones,
  webPush,
} from './notifications/index.ts'
import type { Operation } from './operation.ts'
import { deadLetters, installStatus, usage } from './operators/index.ts'
import { retention } from './retention/index.ts'
import { restrictedFeatures, rolePermissions, roles } from './roles/index.ts'
import { dryRuns, keywordLists, keywordListsOfApp, rules, rulesOfApp } from './rules/index.ts'
import { stats } from './stats/index.ts'
import { supportedUsers, timelines } from './support/index.ts'
import { authTokens, blockedUsers, friends, issuers, me, users } from './users/index.ts'
import { deliveries, webhooks, webhookTriggers } from './webhooks/index.ts'

/** Every operation, by noun. */
export const api = {
  apps,
  auditLog,
  tenants,
  installStatus,
  deadLetters,
  usage,
  sessions,
  app,
  collaborators,
  appSettings,
  apiKeys,
  eventFeed,
  roles,
  restrictedFeatures,
  rolePermissions,
  users,
  authTokens,
  issuers,
  friends,
  blockedUsers,
  me,
  conversations,
  positions,
  groups,
  members,
  bannedUsers,
  scopePermissions,
  rules,
  keywordLists,
  reasons,
  dryRuns,
  blockedMessages,
  blockedMessagesOfApp,
  claims,
  flaggedMessages,
  submissions,
  rulesOfApp,
  keywordListsOfApp,
  uploads,
  fileStores,
  messages,
  history,
  edits,
  reactions,
  threads,
  interactions,
  pins,
  saves,
  receipts,
  imports,
  holds,
  erasures,
  retention,
  stats,
  notificationSettings,
  notificationPreferences,
  mutes,
  timezones,
  extensions,
  pushSettings,
  pushCertificates,
  webhooks,
  webhookTriggers,
  deliveries,
  pushProviders,
  pushTests,
  customProviders,
  carriers,
  pushTokens,
  webPush,
  contactDetails,
  explain,
  notificationLogs,
  supportedUsers,
  timelines,
} as const

type Intersection<U> = (U extends unknown ? (u: U) => void : never) extends (i: infer I) => void
  ? I
  : never

/** Every operation, by its own name. */
export type Api = Intersection<(typeof api)[keyof typeof api]>
export type OperationName = keyof Api

export const allOperations: ReadonlyMap<OperationName, Operation> = new Map(
  Object.values(api).flatMap((noun) => Object.entries(noun)) as [OperationName, Operation][],
)
