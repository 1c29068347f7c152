import { Type } from 'typebox'
import { Data, OneOf } from '../envelope.ts'
import { operations } from '../operation.ts'
import { Uid } from '../users/users.ts'
import { ProviderId } from './push-providers.ts'

const TestedDevice = Type.Object({
  platform: Type.String(),
  pushToken: Type.String({ description: 'Its last four characters.' }),
  outcome: OneOf('accepted', 'gone', 'later', 'refused'),
  reason: Type.Optional(Type.String({ description: 'What the provider has said.' })),
})

export const pushTests = operations({
  testPushProvider: {
    method: 'POST',
    path: '/notifications/push/v1/providers/:kind/:providerId/test',
    summary: 'Send a test push through an account at FCM or APNs',
    description:
      'Sends a push with a fixed text to the devices of a user through this account, whatever ' +
      'the user has chosen, and answers what the provider said of each: `accepted`, `gone` (the ' +
      'device is no longer there), `later` (worth another attempt) or `refused`, with its reason. ' +
      'At most five devices, those that were registered last. It is not repeated, not logged ' +
      'with the notifications, and a device that is gone stays registered.',
    tag: 'Notifications',
    // Nothing is changed here, and no transaction waits for a provider.
    effect: 'read',
    requires: 'fullAccess',
    audit: true,
    params: Type.Object({ kind: OneOf('fcm', 'apns'), providerId: ProviderId }),
    body: Type.Object({ uid: Uid }),
    response: Data(Type.Array(TestedDevice)),
    errors: ['ERR_PROVIDER_NOT_FOUND', 'ERR_UID_NOT_FOUND'],
  },
})
