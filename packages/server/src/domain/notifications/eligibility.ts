import type { MutedConversation, NotificationReason } from '@chorale/contract/notifications'
import { decide } from './decide.ts'
import type { NotificationConfig } from './notification-config.ts'
import { conversationWith, type NotificationEvent } from './notification-event.ts'
import type { ProviderKind } from './providers/providers.sql.ts'
import { effectivePreferences, type UserPreferences } from './settings/effective-preferences.ts'
import { flagOf, isFlagOn, preferencesUnderFlags } from './settings/flags.ts'

/** Somebody who may be notified, and all that this depends on. */
export interface Recipient {
  readonly uid: string
  readonly isParticipant: boolean
  readonly isDeactivated: boolean
  /** They have blocked whoever did it, or are blocked. */
  readonly blocked: boolean
  readonly online: boolean
  readonly readSeq: number
  readonly choices: UserPreferences
  readonly timezone: string
  readonly mutes: readonly MutedConversation[]
  readonly devices: readonly Device[]
}

/** A token of a device; the app's own server stands for all devices of a user. */
export interface Device {
  readonly kind: ProviderKind
  readonly type: 'chat' | 'call'
  readonly pushToken: string
  readonly pushTokenHash: Buffer
  /** Null: the push settings themselves. */
  readonly providerId: string | null
  /** Whether its provider is there and switched on. */
  readonly reachable: boolean
}

/** A step of the decision, in words for whoever asks why there was no push. */
export interface Step {
  readonly step: StepName
  readonly passed: boolean
  readonly reason?: NotificationReason
  readonly says: string
}

export type StepName =
  | 'setup'
  | 'flag'
  | 'recipient'
  | 'blocked'
  | 'preferences'
  | 'read'
  | 'online'
  | 'device'
  | 'provider'

interface Case {
  readonly notificationEvent: NotificationEvent
  readonly config: NotificationConfig
  readonly recipient: Recipient
  readonly nowMs: number
}

type Check = (of: Case) => string | { readonly reason: NotificationReason; readonly says: string }

/** In this order; a text: it passed, and this is why. */
const checks: Readonly<Record<StepName, Check>> = {
  setup: ({ config }) =>
    config.reaches.size > 0
      ? 'The app has a provider of push notifications.'
      : { reason: 'NO_PROVIDER', says: 'The app has no provider of push notifications.' },

  flag({ notificationEvent, config: { pushSettings } }) {
    const flag = flagOf(notificationEvent.trigger, isReply(notificationEvent))
    if (!pushSettings) return 'The app has no push settings whose flags would count.'
    if (!flag) return 'No flag of the push settings speaks of this.'
    return isFlagOn(pushSettings, flag)
      ? `${flag} is on.`
      : { reason: 'PUSH_SETTINGS_FLAG', says: `${flag} is off in the push settings.` }
  },

  recipient({ notificationEvent, config, recipient }) {
    if (recipient.uid === notificationEvent.actor)
      return { reason: 'OWN_ACTION', says: 'They did it themselves.' }
    if (!recipient.isParticipant)
      return { reason: 'NOT_A_PARTICIPANT', says: 'They do not take part in the conversation.' }
    if (!isToldOf(notificationEvent, config, recipient.uid)) {
      const says = 'Many members came or went at once: only whom it happened to is told.'
      return { reason: 'BULK_CHANGE', says }
    }
    return recipient.isDeactivated
      ? { reason: 'USER_DEACTIVATED', says: 'The user is deactivated.' }
      : 'They take part in the conversation.'
  },

  blocked: ({ recipient }) =>
    recipient.blocked
      ? { reason: 'BLOCKED', says: 'One of the two has blocked the other.' }
      : 'Neither has blocked the other.',

  preferences({ notificationEvent, config, recipient, nowMs }) {
    const app = config.pushSettings
      ? { ...config.settings, preferences: preferencesUnderFlags(config.settings.preferences) }
      : config.settings
    const decision = decide({
      trigger: notificationEvent.trigger,
      receiverType: notificationEvent.receiver.kind,
      conversationWith: conversationWith(notificationEvent, recipient.uid),
      isReply: isReply(notificationEvent),
      mentionsRecipient: notificationEvent.row.extra?.mentions?.includes(recipient.uid) ?? false,
      isOwnMessageReactedTo: notificationEvent.row.sender === recipient.uid,
      preferences: effectivePreferences(app, recipient.choices).preferences,
      mutes: recipient.mutes,
      timezone: recipient.timezone,
      nowMs,
    })
    return decision.send
      ? 'Their preferences let it through.'
      : { reason: decision.reason, says: 'Their preferences, or those of the app, keep it back.' }
  },

  read: ({ notificationEvent, recipient }) =>
    notificationEvent.trigger === 'after_message' && recipient.readSeq >= notificationEvent.row.seq
      ? { reason: 'ALREADY_READ', says: 'They have read it.' }
      : 'They have not read it.',

  online({ config, recipient }) {
    if (!recipient.online) return 'They are not connected.'
    return config.skipsOnline
      ? { reason: 'ONLINE', says: 'They are connected, and get it there.' }
      : 'They are connected, and the app notifies them all the same.'
  },

  device: ({ recipient }) =>
    recipient.devices.length > 0
      ? `They have registered ${recipient.devices.length} push token(s).`
      : { reason: 'NO_DEVICE', says: 'None of their devices has registered a push token.' },

  provider: ({ recipient }) =>
    recipient.devices.some(({ reachable }) => reachable)
      ? 'The provider of at least one of them is there.'
      : {
          reason: 'INVALID_PUSH_PROVIDER_ID',
          says: 'The provider that the token names is not there, or switched off.',
        },
}

// The table has these keys and no others.
const allSteps = Object.keys(checks) as StepName[]

/** Each of these steps up to the first that did not pass. */
export function checkEligibility(of: Case, names: readonly StepName[] = allSteps): Step[] {
  const steps: Step[] = []
  for (const name of names) {
    const verdict = checks[name](of)
    if (typeof verdict === 'string') steps.push({ step: name, passed: true, says: verdict })
    else return [...steps, { step: name, passed: false, ...verdict }]
  }
  return steps
}

/** Of one of many changes of members only whom it happened to, unless the app wants it otherwise. */
function isToldOf(
  { bulk }: NotificationEvent,
  { tellsBulk }: NotificationConfig,
  uid: string,
): boolean {
  return bulk === undefined || tellsBulk || bulk.on === uid
}

function isReply({ row }: Pick<NotificationEvent, 'row'>): boolean {
  return row.extra?.parent !== undefined
}
