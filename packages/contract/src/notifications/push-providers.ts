import { type Static, Type } from 'typebox'
import { Data, Outcome, Timestamp } from '../envelope.ts'
import { operations } from '../operation.ts'

const text = Type.String({ minLength: 1, maxLength: 200 })
const Secret = Type.String({
  minLength: 1,
  maxLength: 10_000,
  description: 'Answered masked, with its last four characters. Left as it is when sent like that.',
})

export const ProviderId = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[A-Za-z0-9._-]+$',
  'x-objection': 'Use letters, digits, full stops, - and _',
  description: 'Chosen by the app.',
})

const Where = Type.Object({
  chat: Type.Optional(Type.Boolean()),
  call: Type.Optional(Type.Boolean()),
})

const fcm = {
  serviceAccountFilename: Type.Optional(text),
  notificationInPayload: Type.Optional(
    Type.Object({
      ios: Type.Optional(Where),
      android: Type.Optional(Where),
      web: Type.Optional(Where),
    }),
  ),
}

const credentials = { project_id: text, client_email: text, private_key: Secret }
const NewCredentials = Type.Object({ ...credentials, private_key_id: Type.Optional(text) })
const Credentials = Type.Partial(NewCredentials)

const NewFcmProvider = Type.Object({
  providerId: ProviderId,
  serviceAccountCreds: NewCredentials,
  ...fcm,
})
const FcmChange = Type.Object({
  providerId: ProviderId,
  serviceAccountCreds: Type.Optional(Credentials),
  ...fcm,
})
export type FcmChange = Static<typeof FcmChange>

const switches = {
  p8KeyFilename: Type.Optional(text),
  includeContentAvailable: Type.Optional(Type.Boolean()),
  includeMutableContent: Type.Optional(Type.Boolean()),
  productionMode: Type.Optional(Type.Boolean()),
}
const apns = { keyId: text, teamId: text, bundleId: text, p8Key: Secret }

const NewApnsProvider = Type.Object({ providerId: ProviderId, ...apns, ...switches })
const ApnsChange = Type.Object({
  providerId: ProviderId,
  ...Type.Partial(Type.Object(apns)).properties,
  ...switches,
})
export type ApnsChange = Static<typeof ApnsChange>

const kept = { isDefault: Type.Boolean(), createdAt: Timestamp, updatedAt: Timestamp }
const FcmProvider = Type.Object({ ...FcmChange.properties, ...kept })
export type FcmProvider = Static<typeof FcmProvider>
const ApnsProvider = Type.Object({ ...ApnsChange.properties, ...kept })
export type ApnsProvider = Static<typeof ApnsProvider>

const FcmProviders = Data(Type.Object({ pushProviders: Type.Array(FcmProvider) }))
const ApnsProviders = Data(Type.Object({ pushProviders: Type.Array(ApnsProvider) }))

const shared = { tag: 'Notifications', requires: 'fullAccess' } as const
const change = { ...shared, effect: 'write', audit: true } as const
const params = Type.Object({ providerId: ProviderId })
const ofFcm = '/notifications/push/v1/providers/fcm'
const ofApns = '/notifications/push/v1/providers/apns'

export const pushProviders = operations({
  listFcmProviders: {
    ...shared,
    method: 'GET',
    path: ofFcm,
    summary: 'List the accounts at FCM',
    description:
      'Lists the accounts of Firebase Cloud Messaging through which the app sends pushes. ' +
      'Private keys are masked.',
    effect: 'read',
    response: FcmProviders,
    errors: [],
  },
  createFcmProvider: {
    ...change,
    method: 'POST',
    path: ofFcm,
    summary: 'Add an account at FCM; the first becomes the default',
    description:
      'Adds an account of Firebase Cloud Messaging; the first one is the default. Its private ' +
      'key is stored encrypted. Refused when the id is taken, or when the app has 25 providers.',
    body: NewFcmProvider,
    response: Data(Outcome),
    errors: ['ERR_PROVIDER_ALREADY_EXISTS', 'ERR_PLAN_QUOTA_RESTRICTION'],
  },
  updateFcmProvider: {
    ...change,
    method: 'PUT',
    path: ofFcm,
    summary: 'Change an account at FCM',
    description:
      'Changes an account of Firebase Cloud Messaging; fields that are not sent stay as they ' +
      'are.',
    body: FcmChange,
    response: Data(Outcome),
    errors: ['ERR_PROVIDER_NOT_FOUND'],
  },
  deleteFcmProvider: {
    ...change,
    method: 'DELETE',
    path: `${ofFcm}/:providerId`,
    summary: 'Delete an account at FCM; of the others, the oldest becomes the default',
    description:
      'Deletes an account of Firebase Cloud Messaging. If it was the default, the oldest of the ' +
      'others becomes the default.',
    params,
    response: Data(Outcome),
    errors: ['ERR_PROVIDER_NOT_FOUND'],
  },
  setDefaultFcmProvider: {
    ...change,
    method: 'PUT',
    path: `${ofFcm}/default/:providerId`,
    summary: 'Make an account at FCM the default',
    description:
      'Makes an account of Firebase Cloud Messaging the one for devices that name no provider.',
    params,
    response: Data(Outcome),
    errors: ['ERR_PROVIDER_NOT_FOUND'],
  },
  listApnsProviders: {
    ...shared,
    method: 'GET',
    path: ofApns,
    summary: 'List the accounts at APNs',
    description:
      "Lists the accounts of Apple's push service through which the app sends pushes. Keys are " +
      'masked.',
    effect: 'read',
    response: ApnsProviders,
    errors: [],
  },
  createApnsProvider: {
    ...change,
    method: 'POST',
    path: ofApns,
    summary: 'Add an account at APNs; the first becomes the default',
    description:
      "Adds an account of Apple's push service; the first one is the default. Its key is stored " +
      'encrypted. Refused when the id is taken, or when the app has 25 providers.',
    body: NewApnsProvider,
    response: ApnsProviders,
    errors: ['ERR_PROVIDER_ALREADY_EXISTS', 'ERR_PLAN_QUOTA_RESTRICTION'],
  },
  updateApnsProvider: {
    ...change,
    method: 'PUT',
    path: ofApns,
    summary: 'Change an account at APNs',
    description:
      "Changes an account of Apple's push service; fields that are not sent stay as they are.",
    body: ApnsChange,
    response: Data(Outcome),
    errors: ['ERR_PROVIDER_NOT_FOUND'],
  },
  deleteApnsProvider: {
    ...change,
    method: 'DELETE',
    path: `${ofApns}/:providerId`,
    summary: 'Delete an account at APNs; of the others, the oldest becomes the default',
    description:
      "Deletes an account of Apple's push service. If it was the default, the oldest of the " +
      'others becomes the default.',
    params,
    response: Data(Outcome),
    errors: ['ERR_PROVIDER_NOT_FOUND'],
  },
  setDefaultApnsProvider: {
    ...change,
    method: 'PUT',
    path: `${ofApns}/default/:providerId`,
    summary: 'Make an account at APNs the default',
    description:
      "Makes an account of Apple's push service the one for devices that name no provider.",
    params,
    response: Data(Outcome),
    errors: ['ERR_PROVIDER_NOT_FOUND'],
  },
})
