import { Type } from 'typebox'
import { OneOf, Timestamp } from '../envelope.ts'
import { operations } from '../operation.ts'
import { Uid } from '../users/users.ts'
import { MessageId } from './messages.ts'
import { windowLimit } from './windows.ts'

const Receipt = Type.Object({
  messageId: Type.String(),
  uid: Type.String(),
  deliveredAt: Type.Optional(Timestamp),
  readAt: Type.Optional(Timestamp),
})

export const receipts = operations({
  listReceipts: {
    method: 'GET',
    path: '/messages/:id/receipts',
    summary: 'List who a message has reached, and who has read it',
    description:
      'Lists when a message was delivered to each of its receivers, and when they have read it.',
    tag: 'Messages',
    effect: 'read',
    requires: 'fullAccess',
    onBehalfOf: 'optional',
    device: 'acting',
    params: Type.Object({ id: MessageId }),
    query: Type.Object({ limit: windowLimit(100), uid: Type.Optional(Uid) }),
    response: Type.Object({
      data: Type.Array(Receipt),
      meta: Type.Object({
        current: Type.Object({ limit: Type.Integer(), count: Type.Integer() }),
        next: Type.Optional(
          Type.Object({
            affix: OneOf('append'),
            uid: Type.String({ description: 'Pass it back.' }),
          }),
        ),
      }),
    }),
    errors: [
      'ERR_UID_NOT_FOUND',
      'ERR_MESSAGE_ID_NOT_FOUND',
      'ERR_MESSAGE_NO_ACCESS',
      'ERR_PERMISSION_DENIED',
    ],
  },
})
