import {
  type NotificationSettings,
  type PushSettings,
  pushFlagDefaults,
} from '@chorale/contract/notifications'
import type { Trigger } from '../decide.ts'

type Flag = keyof typeof pushFlagDefaults
type Preferences = NotificationSettings['preferences']

const flags: Readonly<Partial<Record<Trigger, Flag>>> = {
  after_message: 'sendNewMessageNotification',
  message_edited: 'sendEditMessageNotification',
  message_deleted: 'sendDeleteMessageNotification',
  initiated: 'sendIncomingCallNotification',
  unanswered: 'sendMissedCallNotification',
  cancelled: 'sendMissedCallNotification',
  after_group_joined: 'sendMemberJoinedNotification',
  after_group_left: 'sendMemberLeftNotification',
  after_group_members_kicked: 'sendMemberKickedNotification',
  after_group_members_banned: 'sendMemberBannedNotification',
  after_group_members_unbanned: 'sendMemberUnbannedNotification',
  after_group_members_added: 'sendMemberAddedNotification',
  after_scope_changed: 'sendMemberScopeChangedNotification',
}

/** The flag of the push settings that speaks of this; reactions have none. */
export function flagOf(trigger: Trigger, isReply: boolean): Flag | undefined {
  const isThreaded = trigger === 'after_message' && isReply
  return isThreaded ? 'sendThreadedMessageNotification' : flags[trigger]
}

export function isFlagOn(settings: PushSettings, flag: Flag): boolean {
  return settings[flag] ?? pushFlagDefaults[flag]
}

const on = 2

/**
 * An app that has saved push settings has said there what it notifies of: its flags stand in for the
 * preferences of the app. What a user has chosen goes on top.
 */
export function preferencesUnderFlags(preferences: Preferences): Preferences {
  const messages = {
    messagesSetting: on,
    repliesSetting: on,
    messageEditedSetting: on,
    messageDeletedSetting: on,
  } as const
  return {
    ...preferences,
    oneOnOne: { ...preferences.oneOnOne, ...messages },
    group: {
      ...preferences.group,
      ...messages,
      memberJoinedSetting: on,
      memberLeftSetting: on,
      memberAddedSetting: on,
      memberKickedSetting: on,
      memberBannedSetting: on,
      memberUnbannedSetting: on,
      memberScopeChangedSetting: on,
    },
    call: {
      ...preferences.call,
      initiatedSetting: on,
      unansweredSetting: on,
      cancelledSetting: on,
    },
  }
}
