import { type Static, Type } from 'typebox'
import { Data, OneOf, Outcome } from '../envelope.ts'
import { operations } from '../operation.ts'
import { ProviderId } from './push-providers.ts'
import { Timezone } from './timezones.ts'

const Platform = OneOf(
  'fcm_android',
  'fcm_ios',
  'fcm_web',
  'fcm_flutter_android',
  'fcm_flutter_ios',
  'fcm_react_native_android',
  'fcm_react_native_ios',
  'fcm_ionic_cordova_android',
  'fcm_ionic_cordova_ios',
  'apns_ios_device',
  'apns_flutter_device',
  'apns_react_native_device',
  'apns_ionic_cordova_device',
  'apns_ios_voip',
  'apns_flutter_voip',
  'apns_ionic_cordova_voip',
  'apns_react_native_voip',
  'web',
)

/** FCM tokens hold colons. They stand in a path, so they are no longer than a path may be. */
const Token = Type.String({
  minLength: 1,
  maxLength: 2000,
  pattern: '^[\\x21-\\x7e]+$',
  'x-objection': 'Use the token as the platform gave it: digests, digits and signs, no blanks',
})

const Subscription = Type.Object(
  {
    endpoint: Token,
    keys: Type.Object({
      p256dh: Type.String({ minLength: 1, maxLength: 200 }),
      auth: Type.String({ minLength: 1, maxLength: 100 }),
    }),
  },
  { description: 'Of a browser, as `PushSubscription.toJSON()` has it.' },
)

const NewPushToken = Type.Object({
  platform: Platform,
  authToken: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Of the session that the token is for. A device may leave it out.',
    }),
  ),
  providerId: Type.Optional(ProviderId),
  fcmToken: Type.Optional(Token),
  deviceToken: Type.Optional(Token),
  voipToken: Type.Optional(Token),
  subscription: Type.Optional(Subscription),
  timezone: Type.Optional(Timezone),
})
export type NewPushToken = Static<typeof NewPushToken>

const PushToken = Type.Object({
  authToken: Type.String({ description: 'Masked for a device, unless it is its own.' }),
  uid: Type.String(),
  platform: Platform,
  providerId: Type.String({ description: 'Empty where there is no default.' }),
  pushToken: Type.String(),
  pushTokenType: OneOf('chat', 'call'),
  createdAt: Type.String({ description: 'ISO 8601' }),
  updatedAt: Type.String({ description: 'ISO 8601' }),
})
export type PushToken = Static<typeof PushToken>

const path = '/notifications/push/v1/tokens'
const shared = {
  tag: 'Notifications',
  requires: 'fullAccess',
  onBehalfOf: 'optional',
  device: 'acting',
  errors: ['ERR_UID_NOT_FOUND', 'ERR_AUTH_TOKEN_NOT_FOUND', 'ERR_AUTHTOKEN_NOT_ACCESSIBLE'],
} as const
const PushTokens = Data(Type.Object({ pushTokens: Type.Array(PushToken) }))
const all = Type.Optional(
  Type.Boolean({ description: 'Of all sessions of the user, not of this one alone.' }),
)
const ofSession = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'Of the session. A device leaves it out: its header says it.',
  }),
)
const session = Type.Object({ authToken: Type.String({ minLength: 1, maxLength: 200 }) })

export const pushTokens = operations({
  registerPushToken: {
    ...shared,
    method: 'POST',
    path,
    summary: 'Say where the device of a session is to be reached',
    description:
      'Registers a device for pushes: the token that FCM or Apple gave it, or the subscription ' +
      'of a browser. It belongs to the session of the auth token and ends with it. The platform ' +
      'says which of the token fields is needed. A token that another session had moves to this ' +
      'one.',
    effect: 'write',
    body: NewPushToken,
    response: Data(Outcome),
  },
  listPushTokens: {
    ...shared,
    method: 'GET',
    path,
    summary: 'List the push tokens of a session, or of its user',
    description:
      'Lists the push tokens of a session, or with `all` those of every session of its user.',
    effect: 'read',
    query: Type.Object({ authToken: ofSession, all }),
    response: PushTokens,
  },
  deletePushTokens: {
    ...shared,
    method: 'DELETE',
    path,
    summary: 'Delete the push tokens of a session, or of its user',
    description:
      'Deletes the push tokens of a session, or with `all` those of every session of its user, ' +
      'who then gets no pushes. The answer lists what was deleted.',
    effect: 'write',
    query: Type.Object({ all }),
    body: session,
    response: PushTokens,
  },
  deletePushToken: {
    ...shared,
    method: 'DELETE',
    path: `${path}/:pushToken`,
    summary: 'Delete a push token of the user of a session',
    description: 'Deletes one push token of the user of a session.',
    effect: 'write',
    params: Type.Object({ pushToken: Token }),
    body: session,
    response: PushTokens,
    errors: [...shared.errors, 'ERR_PUSH_TOKEN_NOT_FOUND'],
  },
})
