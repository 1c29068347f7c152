import type { NotificationSettings } from '@chorale/contract/notifications'
import { defaultTemplates } from './default-templates.ts'

const allDay = { from: 0, to: 2359, dnd: false }

const betweenTwo = {
  messagesSetting: 2,
  messagesOverride: true,
  repliesSetting: 2,
  repliesOverride: true,
  messageEditedSetting: 2,
  messageDeletedSetting: 2,
  reactionsSetting: 2,
  reactionsOverride: true,
} as const

const inGroups = {
  ...betweenTwo,
  memberLeftSetting: 1,
  memberLeftOverride: true,
  memberAddedSetting: 1,
  memberAddedOverride: true,
  memberJoinedSetting: 1,
  memberJoinedOverride: true,
  memberKickedSetting: 1,
  memberKickedOverride: true,
  memberBannedSetting: 1,
  memberBannedOverride: true,
  memberUnbannedSetting: 1,
  memberUnbannedOverride: true,
  memberScopeChangedSetting: 1,
  memberScopeChangedOverride: true,
} as const

const aboutCalls = {
  initiatedSetting: 2,
  initiatedOverride: false,
  ongoingSetting: 2,
  ongoingOverride: false,
  cancelledSetting: 2,
  cancelledOverride: false,
  rejectedSetting: 2,
  rejectedOverride: false,
  unansweredSetting: 2,
  unansweredOverride: false,
  busySetting: 2,
  busyOverride: false,
  endedSetting: 2,
  endedOverride: false,
} as const

const included = {
  includeMessageObjectSetting: false,
  includeSenderMetadataSetting: true,
  includeReceiverMetadataSetting: true,
  includeMessageMetadataSetting: true,
}

const digest = {
  notifyForUnreadOnly: true,
  intervalInSeconds: 7200,
  maxPerDay: 20,
  maxPerDayPerConversation: 2,
  ...included,
}

/** The settings of an app that has changed none. */
export const defaultSettings: NotificationSettings = {
  preferences: {
    bypassPreferencesForMentions: false,
    group: inGroups,
    oneOnOne: betweenTwo,
    call: aboutCalls,
    mute: {
      dndPreferenceSetting: 1,
      dndPreferenceOverride: true,
      schedulePreferenceSetting: {
        monday: allDay,
        tuesday: allDay,
        wednesday: allDay,
        thursday: allDay,
        friday: allDay,
        saturday: allDay,
        sunday: allDay,
      },
      schedulePreferenceOverride: true,
      mutedGroupsOverride: true,
      mutedOneOnOnesOverride: true,
    },
    push: { ...included, trimTextFieldSetting: false, customJson: {} },
    email: digest,
    sms: digest,
  },
  sound: { chat: 'default', call: 'default' },
  templates: defaultTemplates,
}
