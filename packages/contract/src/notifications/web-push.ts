import { Type } from 'typebox'
import { Data } from '../envelope.ts'
import { operations } from '../operation.ts'

export const webPush = operations({
  getWebPushKey: {
    method: 'GET',
    path: '/notifications/push/v1/providers/web',
    summary: 'Get the key with which a page subscribes to pushes (VAPID)',
    description:
      'Answers the public key (VAPID) with which a page subscribes to pushes in a browser, as ' +
      '`applicationServerKey`. The first call creates it.',
    tag: 'Notifications',
    // The first to ask makes it.
    effect: 'write',
    requires: 'fullAccess',
    onBehalfOf: 'optional',
    device: 'acting',
    response: Data(
      Type.Object({ publicKey: Type.String({ description: '`applicationServerKey`' }) }),
    ),
    errors: ['ERR_UID_NOT_FOUND'],
  },
})
