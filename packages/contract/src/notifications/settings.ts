import { type Static, Type } from 'typebox'
import { Data } from '../envelope.ts'
import { operations } from '../operation.ts'
import { Messages, Notify, Part, Parts, Reactions, Success, Wholes, week } from './fields.ts'
import { digestTemplates, pushTemplates, templateChoice } from './templates.ts'

/** A value of the app, and whether a user may choose their own. */
export const oneOnOneChoices = {
  messagesSetting: Messages,
  messagesOverride: Type.Boolean(),
  repliesSetting: Messages,
  repliesOverride: Type.Boolean(),
  reactionsSetting: Reactions,
  reactionsOverride: Type.Boolean(),
}

export const groupChoices = {
  ...oneOnOneChoices,
  memberLeftSetting: Notify,
  memberLeftOverride: Type.Boolean(),
  memberAddedSetting: Notify,
  memberAddedOverride: Type.Boolean(),
  memberJoinedSetting: Notify,
  memberJoinedOverride: Type.Boolean(),
  memberKickedSetting: Notify,
  memberKickedOverride: Type.Boolean(),
  memberBannedSetting: Notify,
  memberBannedOverride: Type.Boolean(),
  memberUnbannedSetting: Notify,
  memberUnbannedOverride: Type.Boolean(),
  memberScopeChangedSetting: Notify,
  memberScopeChangedOverride: Type.Boolean(),
}

const messageActions = { messageEditedSetting: Notify, messageDeletedSetting: Notify }
const oneOnOne = { ...oneOnOneChoices, ...messageActions }
const group = { ...groupChoices, ...messageActions }

const call = {
  initiatedSetting: Notify,
  ongoingSetting: Notify,
  cancelledSetting: Notify,
  rejectedSetting: Notify,
  unansweredSetting: Notify,
  busySetting: Notify,
  endedSetting: Notify,
}

/** Always false: no user chooses about calls. */
const callOverrides = {
  initiatedOverride: Type.Boolean(),
  ongoingOverride: Type.Boolean(),
  cancelledOverride: Type.Boolean(),
  rejectedOverride: Type.Boolean(),
  unansweredOverride: Type.Boolean(),
  busyOverride: Type.Boolean(),
  endedOverride: Type.Boolean(),
}

export const mute = {
  dndPreferenceSetting: Notify,
  dndPreferenceOverride: Type.Boolean(),
  schedulePreferenceOverride: Type.Boolean(),
  mutedGroupsOverride: Type.Boolean(),
  mutedOneOnOnesOverride: Type.Boolean(),
}

const included = {
  includeMessageObjectSetting: Type.Boolean(),
  includeSenderMetadataSetting: Type.Boolean(),
  includeReceiverMetadataSetting: Type.Boolean(),
  includeMessageMetadataSetting: Type.Boolean(),
}

/** It travels in every push, which has 4 KB for all. */
const CustomJson = Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-maxBytes': 2048 })
const push = { ...included, trimTextFieldSetting: Type.Boolean(), customJson: CustomJson }

const PerDay = Type.Integer({ minimum: 1, maximum: 30 })
const digest = {
  notifyForUnreadOnly: Type.Boolean(),
  intervalInSeconds: Type.Integer({ minimum: 60, maximum: 86_400 }),
  maxPerDay: PerDay,
  maxPerDayPerConversation: PerDay,
  ...included,
}

const bypassPreferencesForMentions = Type.Boolean()
const SoundName = Type.String({ maxLength: 100 })
export const sound = { chat: SoundName, call: SoundName }

export const NotificationSettings = Type.Object({
  preferences: Type.Object({
    bypassPreferencesForMentions,
    ...Wholes({ group, oneOnOne, push, email: digest, sms: digest }),
    call: Type.Object({ ...call, ...callOverrides }),
    mute: Type.Object({ ...mute, schedulePreferenceSetting: Type.Object(Wholes(week)) }),
  }),
  sound: Type.Object(sound),
  templates: Type.Object({
    ...templateChoice,
    ...Wholes({ ...pushTemplates, ...digestTemplates }),
  }),
})
export type NotificationSettings = Static<typeof NotificationSettings>

const settingsPatch = Type.Object({
  preferences: Part({
    bypassPreferencesForMentions,
    ...Parts({ group, oneOnOne, push, email: digest, sms: digest, call }),
    mute: Part({ ...mute, schedulePreferenceSetting: Part(Parts(week)) }),
  }),
  sound: Part(sound),
  templates: Part({ ...templateChoice, ...Parts({ ...pushTemplates, ...digestTemplates }) }),
})

const ofTheApp = {
  path: '/notifications/v1/settings',
  tag: 'Notifications',
  requires: 'fullAccess',
} as const

export const notificationSettings = operations({
  getNotificationSettings: {
    ...ofTheApp,
    method: 'GET',
    summary: 'Get what the app notifies of, and in which words',
    description:
      'Answers what users of the app are notified of, whether they may choose for themselves, ' +
      'and the texts of notifications. Defaults are filled in.',
    effect: 'read',
    response: Data(NotificationSettings),
    errors: [],
  },
  updateNotificationSettings: {
    ...ofTheApp,
    method: 'PATCH',
    summary: 'Change what the app notifies of; what is not named stays as it is',
    description:
      'Changes what users of the app are notified of, and the texts. Only what is sent is ' +
      'changed.',
    effect: 'write',
    audit: true,
    body: settingsPatch,
    response: Data(Success),
    errors: [],
  },
  resetNotificationSettings: {
    ...ofTheApp,
    method: 'DELETE',
    summary: 'Return all notification settings to their defaults',
    description: 'Returns all notification settings of the app to their defaults.',
    effect: 'write',
    audit: true,
    response: Data(Success),
    errors: [],
  },
})
