import { type Static, type TProperties, Type } from 'typebox'
import { AppId } from '../apps/apps.ts'
import { Data } from '../envelope.ts'
import { operations } from '../operation.ts'
import { ExtensionAnswer } from './extensions.ts'

/** Which events lead to a push, until the app says otherwise. */
export const pushFlagDefaults = {
  sendNewMessageNotification: true,
  sendEditMessageNotification: false,
  sendDeleteMessageNotification: false,
  sendThreadedMessageNotification: true,
  sendIncomingCallNotification: true,
  sendMissedCallNotification: true,
  sendMemberJoinedNotification: true,
  sendMemberLeftNotification: true,
  sendMemberKickedNotification: true,
  sendMemberBannedNotification: true,
  sendMemberUnbannedNotification: true,
  sendMemberAddedNotification: true,
  sendMemberScopeChangedNotification: false,
} as const

export const notificationInPayloadDefaults = {
  web: true,
  android: true,
  ionic_cordova: true,
  react_native: false,
  ios: true,
  flutter: true,
} as const

export const payloadOptionDefaults = {
  skipSenderMetadata: false,
  skipReceiverMetadata: false,
  skipMessageMetadata: false,
  trimMessageText: true,
} as const

const apnsDefaults = { useP8: true, sendApnsProduction: true } as const
export const pushSwitchDefaults = { ...apnsDefaults, ...pushFlagDefaults } as const

const text = Type.Optional(Type.String({ maxLength: 200 }))

/** Credentials of a Google service account, named as in the file that Google hands out. */
export const ServiceAccount = Type.Object({
  project_id: text,
  client_email: text,
  private_key: Type.Optional(Type.String({ maxLength: 10_000 })),
  private_key_id: text,
})

/**
 * Switches that documents show with their defaults. These are applied when settings are read: one
 * that is filled in on the way would overwrite what an earlier save has set.
 */
function Switches<const K extends string>(
  defaults: Readonly<Record<K, boolean>>,
  others: TProperties = {},
) {
  const each = (value: (byDefault: boolean) => object) =>
    Object.fromEntries(
      Object.entries<boolean>(defaults).map(([name, byDefault]) => [name, value(byDefault)]),
    )
  return Type.Unsafe<Partial<Record<K, boolean>>>({
    type: 'object',
    properties: { ...others, ...each(() => ({ type: 'boolean' })) },
    'x-documents': {
      ...others,
      ...each((byDefault) => ({ type: 'boolean', default: byDefault })),
    },
  })
}

const PayloadOptions = Switches(payloadOptionDefaults)

const Fields = Type.Object({
  version: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2,
      description: '2: devices by token, 1: by topic, 0: both. The first save needs it.',
    }),
  ),
  pushProvider: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2,
      description: '1: FCM, 2: APNs, 0: both. The first save needs it.',
    }),
  ),
  fcmCredentials: Type.Optional(ServiceAccount),
  notificationInPayload: Type.Optional(Switches(notificationInPayloadDefaults)),
  keyId: text,
  teamId: text,
  bundleId: text,
  appId: text,
  serviceMessagePayloadOptions: Type.Optional(PayloadOptions),
  cometchatMessagePayloadOptions: Type.Optional(PayloadOptions),
})

export type PushSettings = Static<typeof Fields> &
  Partial<Record<keyof typeof pushSwitchDefaults, boolean>>

const Settings = Type.Unsafe<PushSettings>(Switches(pushSwitchDefaults, Fields.properties))
const Saved = Type.Object({ settings: Settings })

const params = Type.Object({ appId: AppId })
const path = '/apps/:appId/extensions/push-notification/v1/settings'
const shared = { path, tag: 'Extensions', requires: 'management', params } as const
const save = {
  ...shared,
  effect: 'write',
  audit: true,
  body: Type.Object({ settings: Settings }),
  response: Saved,
  errors: ['ERR_APP_NOT_FOUND'],
} as const

export const pushSettings = operations({
  createPushSettings: {
    ...save,
    method: 'POST',
    summary: 'Save the push settings of an app',
    description:
      'Saves the push settings of an app in the older form: credentials of FCM and APNs, and ' +
      'which events lead to a push. New apps use the calls for providers and notification ' +
      'settings instead.',
  },
  updatePushSettings: {
    ...save,
    method: 'PUT',
    summary: 'Change the push settings of an app',
    description:
      'Changes the push settings of an app in the older form. Only what is sent is changed.',
  },
  getPushSettings: {
    ...shared,
    method: 'GET',
    summary: 'Get the push settings of an app',
    description:
      'Answers the push settings of an app in the older form. Refused when none were saved.',
    effect: 'read',
    audit: true,
    response: Saved,
    errors: ['ERR_APP_NOT_FOUND', 'ERR_PUSH_SETTINGS_NOT_FOUND'],
  },
  deletePushSettings: {
    ...shared,
    method: 'DELETE',
    summary: 'Delete the push settings of an app',
    description: 'Deletes the push settings of an app in the older form, credentials included.',
    effect: 'write',
    audit: true,
    response: Data(ExtensionAnswer(Data(Type.Object({ success: Type.Boolean() })))),
    errors: ['ERR_APP_NOT_FOUND'],
  },
})
