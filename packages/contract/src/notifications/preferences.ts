import { type Static, Type } from 'typebox'
import { Data } from '../envelope.ts'
import { operations } from '../operation.ts'
import { Uid } from '../users/users.ts'
import { Messages, Notify, Part, Parts, Reactions, Wholes, week } from './fields.ts'
import { groupChoices, mute, oneOnOneChoices, sound } from './settings.ts'
import { pushTemplates, templateChoice } from './templates.ts'

/** Calls about what one user wants: of the server, or of a device for its own user. */
export const ofUser = {
  tag: 'Notifications',
  requires: 'fullAccess',
  device: 'own',
  query: Type.Object({ uid: Uid }),
} as const

/** What holds for a user, in the names of the app's settings. */
const NotificationPreferences = Type.Object({
  preferences: Type.Object({
    ...Wholes({ group: groupChoices, oneOnOne: oneOnOneChoices }),
    mute: Type.Object({ ...mute, schedulePreferenceSetting: Type.Object(Wholes(week)) }),
  }),
  sound: Type.Object(sound),
  templates: Type.Object({ ...templateChoice, ...Wholes(pushTemplates) }),
  usePrivacyTemplate: Type.Boolean({ description: 'Which templates are used for this user.' }),
})
export type NotificationPreferences = Static<typeof NotificationPreferences>

const inGroups = {
  groupMessages: Messages,
  groupReplies: Messages,
  groupReactions: Reactions,
  groupMemberLeft: Notify,
  groupMemberAdded: Notify,
  groupMemberJoined: Notify,
  groupMemberKicked: Notify,
  groupMemberBanned: Notify,
  groupMemberUnbanned: Notify,
  groupMemberScopeChanged: Notify,
}

const betweenTwo = {
  oneOnOneMessages: Messages,
  oneOnOneReplies: Messages,
  oneOnOneReactions: Reactions,
}

/** The same in the names in which a user chooses. */
export const PreferenceChoices = Type.Object({
  groupPreferences: Type.Object(inGroups),
  oneOnOnePreferences: Type.Object(betweenTwo),
  mutePreferences: Type.Object({ dnd: Notify, schedule: Type.Object(Wholes(week)) }),
  usePrivacyTemplate: Type.Boolean(),
})
export type PreferenceChoices = Static<typeof PreferenceChoices>

const choicesPatch = Type.Object({
  groupPreferences: Part(inGroups),
  oneOnOnePreferences: Part(betweenTwo),
  mutePreferences: Part({ dnd: Notify, schedule: Part(Parts(week)) }),
  usePrivacyTemplate: Type.Optional(Type.Boolean()),
})

const path = '/notifications/v1/preferences'

export const notificationPreferences = operations({
  getNotificationPreferences: {
    ...ofUser,
    method: 'GET',
    path,
    summary: 'Get what a user is notified of',
    description:
      'Answers what a user is notified of: what they have chosen where the app leaves them the ' +
      'choice, and what the app has set for the rest.',
    effect: 'read',
    response: Data(NotificationPreferences),
    errors: ['ERR_UID_NOT_FOUND', 'ERR_PERMISSION_DENIED'],
  },
  updateNotificationPreferences: {
    ...ofUser,
    method: 'PATCH',
    path,
    summary: 'Choose what a user is notified of, where the app leaves the choice',
    description:
      'Sets what a user wants to be notified of. Only what is sent is changed; choices that the ' +
      'app does not leave to its users have no effect.',
    effect: 'write',
    body: choicesPatch,
    response: Data(NotificationPreferences),
    errors: ['ERR_UID_NOT_FOUND', 'ERR_PERMISSION_DENIED'],
  },
  deleteNotificationPreferences: {
    ...ofUser,
    method: 'DELETE',
    path,
    summary: 'Forget what a user has chosen; the answer is what holds now',
    description:
      'Deletes what a user has chosen, so that the settings of the app hold. The answer is what ' +
      'holds now.',
    effect: 'write',
    response: Data(PreferenceChoices),
    errors: ['ERR_UID_NOT_FOUND', 'ERR_PERMISSION_DENIED'],
  },
})
