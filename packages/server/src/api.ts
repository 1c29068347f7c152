import {
  collaboratorHandlers,
  passwordHandlers,
  type SessionRules,
  secondFactorHandlers,
  sessionHandlers,
  tenantHandlers,
} from './domain/apps/collaborators/index.ts'
import {
  type AppSeed,
  appHandlers,
  appSettingHandlers,
  appsHandlers,
  auditLogHandlers,
} from './domain/apps/index.ts'
import { apiKeyHandlers } from './domain/apps/keys/index.ts'
import { conversationHandlers, positionHandlers } from './domain/conversations/index.ts'
import { erasureHandlers } from './domain/erasures/index.ts'
import { eventFeedHandlers } from './domain/events/index.ts'
import { fileStoreHandlers, type UploadParts, uploadHandlers } from './domain/files/index.ts'
import {
  bannedUserHandlers,
  groupHandlers,
  leaveAllGroups,
  memberHandlers,
  scopePermissionHandlers,
} from './domain/groups/index.ts'
import { holdHandlers } from './domain/holds/index.ts'
import { importHandlers } from './domain/imports/index.ts'
import { deleteUserConversations } from './domain/log/participants/index.ts'
import { historyHandlers } from './domain/messages/history/index.ts'
import {
  deleteSubscriptions,
  editHandlers,
  interactionHandlers,
  messageHandlers,
  pinHandlers,
  reactionHandlers,
  receiptHandlers,
  saveHandlers,
  threadHandlers,
} from './domain/messages/index.ts'
import { requireMaySendFile, type Sending, sendHandlers } from './domain/messages/send/index.ts'
import {
  claimHandlers,
  forgetSubmissionsOf,
  queueHandlers,
  queueOfAppHandlers,
  reasonHandlers,
  submissionHandlers,
} from './domain/moderation/index.ts'
import {
  deleteDeliveriesTo,
  explainHandlers,
  notificationLogHandlers,
  type PushTesting,
  pushTestHandlers,
  pushTokenHandlers,
} from './domain/notifications/index.ts'
import {
  carrierHandlers,
  customProviderHandlers,
  pushCertificateHandlers,
  pushProviderHandlers,
  pushSettingHandlers,
  type SecretsAre,
  webPushHandlers,
} from './domain/notifications/providers/index.ts'
import {
  contactDetailHandlers,
  extensionHandlers,
  muteHandlers,
  notificationPreferenceHandlers,
  notificationSettingHandlers,
  timezoneHandlers,
} from './domain/notifications/settings/index.ts'
import { type Operating, operatorHandlers } from './domain/operators/index.ts'
import { retentionHandlers } from './domain/retention/index.ts'
import {
  restrictedFeatureHandlers,
  roleHandlers,
  rolePermissionHandlers,
  seedRoles,
} from './domain/roles/index.ts'
import type { Compiler } from './domain/rules/compiler/index.ts'
import { dryRunHandlers } from './domain/rules/dry-runs/index.ts'
import {
  guardGroup,
  guardNewGroup,
  guardUser,
  ruleHandlers,
  ruleOfAppHandlers,
} from './domain/rules/index.ts'
import { keywordListHandlers, keywordListOfAppHandlers } from './domain/rules/lists/index.ts'
import { statsHandlers } from './domain/stats/index.ts'
import { supportedUserHandlers, timelineHandlers } from './domain/support/index.ts'
import type { UserDeletion } from './domain/users/deletion/index.ts'
import { authTokenHandlers, meHandlers, seedUsers, userHandlers } from './domain/users/index.ts'
import { issuerHandlers } from './domain/users/issuers/index.ts'
import { blockedUserHandlers, friendHandlers } from './domain/users/relationships/index.ts'
import { deliveryHandlers, triggerHandlers, webhookHandlers } from './domain/webhooks/index.ts'
import { objectionToUrl, type UrlRules } from './egress/urls.ts'
import type { EventFeed } from './outbox/feed.ts'
import type { AllHandlers } from './pipeline/handler.ts'
import type { Passwords } from './vault/passwords.ts'

/** What the operator has decided about secrets in answers, and about addresses that apps name. */
export interface Outside {
  readonly secretsAre: SecretsAre
  readonly urlRules: UrlRules
  /** Of what apps want to be looked for. */
  readonly compiler: Compiler
  readonly sessions: SessionRules
  readonly operating: Operating
  readonly pushTesting: PushTesting
  readonly files: Omit<UploadParts, 'requireMaySend'>
}

/** What every new app has from its first moment, in this order. */
export const appSeeds: readonly AppSeed[] = [seedRoles, seedUsers]

const userDeletion: UserDeletion = {
  leaveGroups: leaveAllGroups,
  erase: [deleteUserConversations, deleteSubscriptions, forgetSubmissionsOf, deleteDeliveriesTo],
}

type Messaging = Sending & Parameters<typeof historyHandlers>[0]

/** What handlers share: connections, batchers, and what the operator has decided. */
interface HandlerParts extends Outside {
  readonly messaging: Messaging
  readonly feed: EventFeed
  readonly passwords: Passwords
}

/** Every operation meets its handler. */
export function handlersWith(
  messaging: Messaging,
  feed: EventFeed,
  passwords: Passwords,
  outside: Outside,
): AllHandlers {
  const parts: HandlerParts = { ...outside, messaging, feed, passwords }
  return {
    install: {
      ...appsHandlers(appSeeds),
      ...auditLogHandlers,
      ...tenantHandlers(appSeeds, passwords),
      ...sessionHandlers(outside.sessions),
      ...secondFactorHandlers,
      ...passwordHandlers(passwords),
      ...operatorHandlers(outside.operating),
    },
    app: {
      ...appHandlers,
      ...appSettingHandlers,
      ...collaboratorHandlers,
      ...apiKeyHandlers,
      ...eventFeedHandlers(feed),
      ...roleHandlers,
      ...restrictedFeatureHandlers,
      ...rolePermissionHandlers,
      ...userHandlers(userDeletion),
      ...authTokenHandlers,
      ...issuerHandlers((url) => objectionToUrl(url, outside.urlRules)),
      ...friendHandlers,
      ...blockedUserHandlers,
      ...meHandlers,
      updateMe: guardUser(meHandlers.updateMe),
      ...conversationHandlers,
      ...positionHandlers,
      ...statsHandlers,
      ...handlersOfGroups(parts),
      ...handlersOfMessages(parts),
      ...handlersOfModeration(parts),
      ...handlersOfNotifications(parts),
      ...webhookHandlers((url) => objectionToUrl(url, outside.urlRules)),
      ...triggerHandlers,
      ...deliveryHandlers,
      ...supportedUserHandlers,
      ...timelineHandlers,
      ...holdHandlers,
      ...erasureHandlers(userDeletion),
      ...retentionHandlers,
    },
  }
}

function handlersOfGroups({ passwords }: HandlerParts) {
  const groups = groupHandlers(passwords)
  return {
    ...groups,
    createGroup: guardNewGroup(groups.createGroup),
    updateGroup: guardGroup(groups.updateGroup),
    ...memberHandlers(passwords),
    ...bannedUserHandlers,
    ...scopePermissionHandlers,
  }
}

function handlersOfMessages({ messaging, passwords, files, urlRules }: HandlerParts) {
  return {
    ...uploadHandlers({ ...files, requireMaySend: requireMaySendFile }),
    ...fileStoreHandlers({ ...files, objectionTo: (url) => objectionToUrl(url, urlRules) }),
    ...sendHandlers(messaging),
    ...messageHandlers(messaging),
    ...historyHandlers(messaging),
    ...editHandlers,
    ...reactionHandlers(messaging.checkRules),
    ...threadHandlers,
    ...interactionHandlers,
    ...pinHandlers,
    ...saveHandlers,
    ...receiptHandlers,
    ...importHandlers(passwords),
  }
}

function handlersOfModeration({ compiler, urlRules, passwords }: HandlerParts) {
  const objection = (url: string) => objectionToUrl(url, urlRules)
  return {
    ...ruleHandlers(compiler),
    ...ruleOfAppHandlers(compiler),
    ...keywordListHandlers(compiler, objection),
    ...keywordListOfAppHandlers(compiler, objection),
    ...reasonHandlers,
    ...dryRunHandlers(compiler),
    ...queueHandlers,
    ...claimHandlers,
    ...queueOfAppHandlers,
    ...submissionHandlers(passwords),
  }
}

function handlersOfNotifications({ secretsAre, urlRules, pushTesting }: HandlerParts) {
  return {
    ...notificationSettingHandlers,
    ...notificationPreferenceHandlers,
    ...muteHandlers,
    ...timezoneHandlers,
    ...extensionHandlers,
    ...pushSettingHandlers(secretsAre),
    ...pushCertificateHandlers,
    ...pushProviderHandlers,
    ...pushTestHandlers(pushTesting),
    ...customProviderHandlers(urlRules),
    ...carrierHandlers,
    ...pushTokenHandlers(urlRules),
    ...webPushHandlers,
    ...contactDetailHandlers,
    ...explainHandlers,
    ...notificationLogHandlers,
  }
}
