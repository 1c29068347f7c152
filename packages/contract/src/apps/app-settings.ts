import { Type } from 'typebox'
import { Data, ItemOutcome, Outcome } from '../envelope.ts'
import { operations } from '../operation.ts'
import { AppId } from './apps.ts'

const params = Type.Object({ appId: AppId })

/** Every setting of an app with its default, which also says its type. */
export const appSettingDefaults = {
  'core.conversations.updateOnGroupActions': true,
  'core.conversations.updateOnReplies': true,
  'core.conversations.updateOnMessageActions': false,
  'core.conversations.updateOnCallActivity': false,
  'core.conversations.updateOnCustomMessage': true,
  'core.threads.updateOnMessageActions': false,
  'core.notifications.push.accessible': true,
  'core.notifications.push.enabled': false,
  'core.notifications.push.advanced.enabled': false,
  'core.notifications.push.advanced.included': [],
  /** Whether input that is not written as the contract says is read as it is meant, where that is clear. */
  'api.lenientInput': true,
  /** Whether a key of scope authOnly may create users. */
  'apiKeys.authOnlyCreatesUsers': true,
  /** For how long after it was sent a message may be edited by users; 0: for ever. */
  'messages.editWindowSeconds': 0,
  /** Whether a device deletes messages for ever; if not, they are deleted and kept for the app. */
  'messages.devicesDeleteForever': false,
  /** Whether `size` of an attachment is a number in messages that are sent from now on; if not, a text of digits. */
  'messages.attachmentSizeAsNumber': false,
  /** Whether devices may list deactivated users. */
  'users.devicesListDeactivated': false,
  /** Whether who comes to a group may read what was said before. */
  'groups.newMembersSeeHistory': true,
  /** Whether such a key may give a user it creates another role than the default one. */
  'apiKeys.authOnlyChoosesRoles': false,
  /** How long auth tokens that are made from now on are good for. 0: for ever. */
  'authTokens.lifetimeSeconds': 0,
  /** How many members a group may have. */
  'groups.memberLimit': 100_000,
  /** How many rules and how many keyword lists an app may have, beside the defaults. */
  'moderation.ruleLimit': 25,
  'moderation.listLimit': 25,
  /** Whether conditions about what pictures show are kept, though they match nothing; if not, they are refused. */
  'moderation.mediaRules': false,
  /** Whether somebody who is connected gets no push: they see it where they are. */
  'notifications.skipOnlineUsers': true,
  /** Whether all members are notified of each of many members who come or go at once. */
  'notifications.bulkMemberChanges': false,
  /** Whether devices may say where their user is reached by e-mail and SMS. */
  'notifications.devicesSetContacts': true,
  /** Whether e-mail goes through the operator's mail server, where the app has no provider. */
  'notifications.operatorMail': false,
  /** Whether `message_edited` and `message_deleted` carry the message itself; if not, the action message. */
  'webhooks.changedMessageItself': false,
  /** Requests a minute. */
  'rateLimits.core': 10_000,
  'rateLimits.standard': 20_000,
  /** Of one user on their devices. */
  'rateLimits.device': 1200,
} as const satisfies Record<string, boolean | number | readonly string[]>

const Value = Type.Union([
  Type.Boolean(),
  Type.Integer({ minimum: 0, maximum: 1_000_000_000 }),
  Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 }),
])

const Settings = Type.Record(Type.String({ maxLength: 100 }), Value)

export const appSettings = operations({
  mapAppSettings: {
    method: 'POST',
    path: '/apps/:appId/settings',
    summary: 'Set settings of an app',
    description:
      'Sets settings of an app; settings that are not named stay as they are. The answer says ' +
      'for each setting whether it was set: an unknown name or a value of the wrong type is ' +
      'refused alone, inside the 200.',
    tag: 'Settings',
    effect: 'write',
    requires: 'management',
    audit: true,
    params,
    body: Type.Object({ settings: Settings }),
    response: Data(Type.Record(Type.String(), ItemOutcome)),
    errors: ['ERR_APP_NOT_FOUND'],
  },
  listAppSettings: {
    method: 'GET',
    path: '/apps/:appId/settings',
    summary: 'List the settings of an app',
    description:
      'Answers every setting of an app with the value that holds now, which is the default ' +
      'where nothing was set.',
    tag: 'Settings',
    effect: 'read',
    requires: 'management',
    params,
    response: Data(Settings),
    errors: ['ERR_APP_NOT_FOUND'],
  },
  unmapAppSettings: {
    method: 'DELETE',
    path: '/apps/:appId/settings',
    summary: 'Return settings of an app to their defaults',
    description:
      'Removes values that were set for an app, so that the defaults hold again. Refused when ' +
      'one of the names is no setting.',
    tag: 'Settings',
    effect: 'write',
    requires: 'management',
    audit: true,
    params,
    body: Type.Object({
      settings: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
        minItems: 1,
        maxItems: 100,
      }),
    }),
    response: Data(Outcome),
    errors: ['ERR_APP_NOT_FOUND'],
  },
})
