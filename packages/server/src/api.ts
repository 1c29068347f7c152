import type { AppDb } from './database/app-db.ts'
import {
  appHandlers,
  appSettingHandlers,
  appsHandlers,
  auditLogHandlers,
} from './domain/apps/index.ts'
import { apiKeyHandlers } from './domain/apps/keys/index.ts'
import { conversationHandlers, positionHandlers } from './domain/conversations/index.ts'
import { eventFeedHandlers } from './domain/events/index.ts'
import {
  bannedUserHandlers,
  groupHandlers,
  leaveAllGroups,
  memberHandlers,
  scopePermissionHandlers,
} from './domain/groups/index.ts'
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
import { type Sending, sendHandlers } from './domain/messages/send/index.ts'
import {
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
import { authTokenHandlers, meHandlers, seedUsers, userHandlers } from './domain/users/index.ts'
import { blockedUserHandlers, friendHandlers } from './domain/users/relationships/index.ts'
import { deliveryHandlers, triggerHandlers, webhookHandlers } from './domain/webhooks/index.ts'
import { objectionToUrl, type UrlRules } from './egress/urls.ts'
import type { EventFeed } from './outbox/feed.ts'
import type { AllHandlers, WriteCtx } from './pipeline/handler.ts'
import type { Passwords } from './vault/passwords.ts'

/** What the operator has decided about secrets in answers, and about addresses that apps name. */
export interface Outside {
  readonly secretsAre: SecretsAre
  readonly urlRules: UrlRules
  /** Of what apps want to be looked for. */
  readonly compiler: Compiler
}

/** Every operation meets its handler. */
export function handlersWith(
  sending: Sending,
  feed: EventFeed,
  passwords: Passwords,
  { secretsAre, urlRules, compiler }: Outside,
): AllHandlers {
  const groups = groupHandlers(passwords)
  return {
    install: { ...appsHandlers(seedApp), ...auditLogHandlers },
    app: {
      ...appHandlers,
      ...appSettingHandlers,
      ...apiKeyHandlers,
      ...eventFeedHandlers(feed),
      ...roleHandlers,
      ...restrictedFeatureHandlers,
      ...rolePermissionHandlers,
      ...userHandlers(onUserDeleted),
      ...authTokenHandlers,
      ...friendHandlers,
      ...blockedUserHandlers,
      ...meHandlers,
      updateMe: guardUser(meHandlers.updateMe),
      ...conversationHandlers,
      ...positionHandlers,
      ...groups,
      createGroup: guardNewGroup(groups.createGroup),
      updateGroup: guardGroup(groups.updateGroup),
      ...memberHandlers(passwords),
      ...bannedUserHandlers,
      ...scopePermissionHandlers,
      ...ruleHandlers(compiler),
      ...ruleOfAppHandlers(compiler),
      ...keywordListHandlers(compiler, (url) => objectionToUrl(url, urlRules)),
      ...keywordListOfAppHandlers(compiler, (url) => objectionToUrl(url, urlRules)),
      ...reasonHandlers,
      ...dryRunHandlers(compiler),
      ...sendHandlers(sending),
      ...messageHandlers(sending),
      ...historyHandlers(sending),
      ...editHandlers,
      ...reactionHandlers(sending.judge),
      ...threadHandlers,
      ...interactionHandlers,
      ...pinHandlers,
      ...queueHandlers,
      ...queueOfAppHandlers,
      ...submissionHandlers(passwords),
      ...saveHandlers,
      ...receiptHandlers,
      ...statsHandlers,
      ...notificationSettingHandlers,
      ...notificationPreferenceHandlers,
      ...muteHandlers,
      ...timezoneHandlers,
      ...extensionHandlers,
      ...pushSettingHandlers(secretsAre),
      ...pushCertificateHandlers,
      ...webhookHandlers((url) => objectionToUrl(url, urlRules)),
      ...triggerHandlers,
      ...deliveryHandlers,
      ...pushProviderHandlers,
      ...customProviderHandlers(urlRules),
      ...carrierHandlers,
      ...pushTokenHandlers(urlRules),
      ...webPushHandlers,
      ...contactDetailHandlers,
      ...explainHandlers,
      ...notificationLogHandlers,
    },
  }
}

/** Removes what a user leaves behind who is deleted for ever. */
async function onUserDeleted(ctx: WriteCtx, uid: string): Promise<void> {
  await leaveAllGroups(ctx, uid)
  await deleteUserConversations(ctx.db, uid)
  await deleteSubscriptions(ctx.db, uid)
  await forgetSubmissionsOf(ctx.db, uid)
  await deleteDeliveriesTo(ctx.db, uid)
}

/** Inserts what every new app has from its first moment. */
export async function seedApp(db: AppDb, now: number): Promise<void> {
  await seedRoles(db, now)
  await seedUsers(db, now)
}
