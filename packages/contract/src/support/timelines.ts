import { type Static, Type } from 'typebox'
import { Data, OneOf, Timestamp } from '../envelope.ts'
import { MessageId } from '../messages/messages.ts'
import { operations, withDefault } from '../operation.ts'
import { Uid } from '../users/users.ts'

const text = Type.Optional(Type.String())

const TimelineStep = Type.Object({
  step: OneOf(
    'received',
    'moderated',
    'stored',
    'reported',
    'reviewed',
    'edited',
    'deleted',
    'delivered',
    'pushed',
    'read',
  ),
  at: Type.Optional({ ...Timestamp, description: 'Left out where it was never noted.' }),
  uid: Type.Optional(Type.String({ description: 'Whom it concerns.' })),
  status: text,
  reason: text,
  says: Type.String({ description: 'The same for people.' }),
})
export type TimelineStep = Static<typeof TimelineStep>

const Recipient = Type.Object({
  uid: Type.String(),
  deliveredAt: Type.Optional(Timestamp),
  readAt: Type.Optional(Timestamp),
  push: Type.Object({
    verdict: OneOf('sent', 'waiting', 'failed', 'withheld'),
    step: Type.String({ description: 'Where it was decided.' }),
    reason: text,
    says: Type.String(),
  }),
})

export const timelines = operations({
  getMessageTimeline: {
    method: 'GET',
    path: '/support/messages/:id/timeline',
    summary: 'Say what became of a message, step by step',
    description:
      'Says what became of a message: when it was received, what moderation decided, when it ' +
      'was stored, and for each recipient whether it was delivered, pushed and read, and why ' +
      'there was no push. What it says is left out. Recipients of a group come in pages by uid.',
    tag: 'Support',
    effect: 'read',
    requires: 'fullAccess',
    params: Type.Object({ id: MessageId }),
    query: Type.Object({
      after: Type.Optional({ ...Uid, description: '`next` of the page before.' }),
      limit: withDefault(Type.Integer({ minimum: 1, maximum: 50 }), 20),
    }),
    response: Data(
      Type.Object({
        messageId: Type.String(),
        conversationId: Type.String(),
        sender: Type.String(),
        receiver: Type.String(),
        receiverType: OneOf('user', 'group'),
        category: Type.String(),
        type: Type.String(),
        steps: Type.Array(TimelineStep),
        recipients: Type.Array(Recipient),
        next: Type.Optional(Type.String({ description: 'Pass it as `after`.' })),
      }),
    ),
    errors: ['ERR_MESSAGE_ID_NOT_FOUND'],
  },
})
