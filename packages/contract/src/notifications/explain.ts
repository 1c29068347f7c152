import { type Static, Type } from 'typebox'
import { Data, Identifier, OneOf } from '../envelope.ts'
import { operations } from '../operation.ts'

/** The way of a push, in the order in which it is decided. */
export const ExplainStep = OneOf(
  'message',
  'setup',
  'flag',
  'recipient',
  'blocked',
  'preferences',
  'read',
  'online',
  'device',
  'provider',
  'event',
  'delivery',
)

const Step = Type.Object({
  step: ExplainStep,
  passed: Type.Boolean(),
  reason: Type.Optional(Type.String()),
  says: Type.String({ description: 'The same for people.' }),
})

const Delivery = Type.Object({
  provider: Type.Optional(Type.String()),
  providerId: Type.Optional(Type.String()),
  pushToken: Type.Optional(Type.String({ description: 'Its last four characters.' })),
  status: OneOf('waiting', 'sent', 'failed', 'withheld'),
  attempts: Type.Integer(),
  reason: Type.Optional(
    Type.String({ description: 'What the provider said, or why it was kept.' }),
  ),
  nextAttemptAt: Type.Optional(Type.Integer()),
})

export const explain = operations({
  explainNotification: {
    method: 'GET',
    path: '/notifications/v1/explain',
    summary: 'Say why a user got a push notification of a message, or why not',
    description:
      'Says step by step why a user got a push notification of a message, or why not: settings, ' +
      'preferences, mutes, devices, and what the provider answered.',
    tag: 'Notifications',
    effect: 'read',
    requires: 'fullAccess',
    query: Type.Object({
      uid: Identifier('The recipient.'),
      messageId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    }),
    response: Data(
      Type.Object({
        verdict: OneOf('sent', 'waiting', 'failed', 'withheld'),
        step: Type.Unsafe<Static<typeof ExplainStep>>({
          ...ExplainStep,
          description: 'Where it was decided.',
        }),
        reason: Type.Optional(Type.String()),
        says: Type.String(),
        steps: Type.Array(Step),
        deliveries: Type.Array(Delivery),
      }),
    ),
    errors: ['ERR_UID_NOT_FOUND', 'ERR_MESSAGE_ID_NOT_FOUND'],
  },
})
