import type { MutedConversation, NotificationSettings } from '@chorale/contract/notifications'
import { isInSchedule } from './settings/schedule.ts'

type Preferences = NotificationSettings['preferences']

/** What happened to the members of a group, and the setting that speaks of it. */
const memberEvents = {
  after_group_joined: 'memberJoinedSetting',
  after_group_left: 'memberLeftSetting',
  after_group_members_added: 'memberAddedSetting',
  after_group_members_kicked: 'memberKickedSetting',
  after_group_members_banned: 'memberBannedSetting',
  after_group_members_unbanned: 'memberUnbannedSetting',
  after_scope_changed: 'memberScopeChangedSetting',
} as const

/** What happened to a call. */
const callEvents = {
  initiated: 'initiatedSetting',
  ongoing: 'ongoingSetting',
  cancelled: 'cancelledSetting',
  rejected: 'rejectedSetting',
  unanswered: 'unansweredSetting',
  busy: 'busySetting',
  ended: 'endedSetting',
} as const

export type MemberTrigger = keyof typeof memberEvents
export type CallTrigger = keyof typeof callEvents
export type Trigger =
  | 'after_message'
  | 'message_edited'
  | 'message_deleted'
  | 'message_reaction_added'
  | MemberTrigger
  | CallTrigger

export interface NotificationFacts {
  readonly trigger: Trigger
  readonly receiverType: 'user' | 'group'
  /** The other user, or the group, as the recipient would mute it. */
  readonly conversationWith: string
  readonly isReply: boolean
  readonly mentionsRecipient: boolean
  readonly isOwnMessageReactedTo: boolean
  /** Those that hold for the recipient: `effectivePreferences`. */
  readonly preferences: Preferences
  readonly mutes: readonly MutedConversation[]
  readonly timezone: string
  readonly nowMs: number
}

/** Why somebody is not notified, in the words of the log. */
type Reason =
  | 'MESSAGES_PREFERENCE'
  | 'REPLIES_PREFERENCE'
  | 'MESSAGE_ACTIONS_PREFERENCE'
  | 'REACTIONS_PREFERENCE'
  | 'GROUP_ACTIONS_PREFERENCE'
  | 'CALL_PREFERENCE'
  | 'DND_PREFERENCE'
  | 'MUTE_PREFERENCE'
  | 'SCHEDULE_PREFERENCE'

export type Decision = { readonly send: true } | { readonly send: false; readonly reason: Reason }

/** Whether a recipient is notified: first of what happened at all, then at this moment. */
export function decide(facts: NotificationFacts): Decision {
  const reason = unwanted(facts) ?? (isUrgent(facts) ? undefined : untimely(facts))
  return reason ? { send: false, reason } : { send: true }
}

export function isMemberTrigger(trigger: Trigger): trigger is MemberTrigger {
  return Object.hasOwn(memberEvents, trigger)
}

export function isCallTrigger(trigger: Trigger): trigger is CallTrigger {
  return Object.hasOwn(callEvents, trigger)
}

function unwanted(facts: NotificationFacts): Reason | undefined {
  const { trigger, preferences } = facts
  if (isMemberTrigger(trigger)) {
    const notify = preferences.group[memberEvents[trigger]] === 2
    return notify ? undefined : 'GROUP_ACTIONS_PREFERENCE'
  }
  if (isCallTrigger(trigger)) {
    return preferences.call[callEvents[trigger]] === 2 ? undefined : 'CALL_PREFERENCE'
  }
  const here = facts.receiverType === 'group' ? preferences.group : preferences.oneOnOne
  switch (trigger) {
    case 'message_reaction_added': {
      const wanted = here.reactionsSetting === 2 ? facts.isOwnMessageReactedTo : true
      return here.reactionsSetting !== 1 && wanted ? undefined : 'REACTIONS_PREFERENCE'
    }
    case 'message_edited':
      return unwantedMessage(facts, here) ?? unwantedAction(here.messageEditedSetting)
    case 'message_deleted':
      return unwantedMessage(facts, here) ?? unwantedAction(here.messageDeletedSetting)
    case 'after_message':
      return unwantedMessage(facts, here)
  }
}

/** Of what became of a message nobody hears who did not hear of the message. */
function unwantedMessage(
  { isReply, mentionsRecipient }: NotificationFacts,
  { repliesSetting, messagesSetting }: Preferences['oneOnOne'],
): Reason | undefined {
  const setting = isReply ? repliesSetting : messagesSetting
  if (setting === 2 || (setting === 3 && mentionsRecipient)) return undefined
  return isReply ? 'REPLIES_PREFERENCE' : 'MESSAGES_PREFERENCE'
}

function unwantedAction(setting: 1 | 2): Reason | undefined {
  return setting === 2 ? undefined : 'MESSAGE_ACTIONS_PREFERENCE'
}

/** A mention that the app lets through at any time; a reaction to it is none. */
function isUrgent({ trigger, mentionsRecipient, preferences }: NotificationFacts): boolean {
  const isMessage = ['after_message', 'message_edited', 'message_deleted'].includes(trigger)
  return preferences.bypassPreferencesForMentions && mentionsRecipient && isMessage
}

function untimely(facts: NotificationFacts): Reason | undefined {
  const { mute } = facts.preferences
  if (mute.dndPreferenceSetting === 2) return 'DND_PREFERENCE'
  if (isMuted(facts)) return 'MUTE_PREFERENCE'
  const open = isInSchedule(mute.schedulePreferenceSetting, facts.timezone, facts.nowMs)
  return open ? undefined : 'SCHEDULE_PREFERENCE'
}

function isMuted({ mutes, preferences, nowMs, ...facts }: NotificationFacts): boolean {
  const { mutedGroupsOverride, mutedOneOnOnesOverride } = preferences.mute
  const inGroup = facts.receiverType === 'group'
  if (!(inGroup ? mutedGroupsOverride : mutedOneOnOnesOverride)) return false
  return mutes.some(
    ({ id, type, until }) =>
      id === facts.conversationWith &&
      (type === 'group') === inGroup &&
      (until === undefined || until > nowMs),
  )
}
