import { type Static, Type } from 'typebox'
import { AppId } from '../apps/index.ts'
import { Data, OneOf, Timestamp, UnixTime } from '../envelope.ts'
import { operations, withDefault } from '../operation.ts'
import { webhookParams } from './webhooks.ts'

const Status = OneOf('waiting', 'delivered', 'failed')
export type DeliveryStatus = Static<typeof Status>

const Trigger = Type.String({ minLength: 1, maxLength: 100 })
const DeliveryId = Type.String({
  pattern: '^[0-9a-f-]{36}$',
  'x-objection': 'Use the id of a delivery as the list of deliveries has it',
})
const params = Type.Object({
  appId: AppId,
  webhookId: webhookParams.properties.webhookId,
  deliveryId: DeliveryId,
})

const Delivery = Type.Object({
  id: DeliveryId,
  eventId: Type.String({ description: 'The header `webhook-id`: the same at every attempt.' }),
  trigger: Type.String(),
  status: Status,
  attempts: Type.Integer(),
  createdAt: Timestamp,
  nextAttemptAt: Type.Optional(Timestamp),
})
export type Delivery = Static<typeof Delivery>

const Attempt = Type.Object({
  at: Timestamp,
  tookMs: Type.Integer(),
  status: Type.Optional(Type.Integer({ description: 'The HTTP status, if there was an answer.' })),
  answer: Type.Optional(Type.String({ description: 'How the answer began.' })),
  error: Type.Optional(Type.String({ description: 'Why there was no answer.' })),
})
export type Attempt = Static<typeof Attempt>

const WholeDelivery = Type.Object({
  ...Delivery.properties,
  request: Type.Object({ url: Type.String(), body: Type.String() }),
  log: Type.Array(Attempt, { description: 'The last attempts, oldest first.' }),
})

export const deliveries = operations({
  listDeliveries: {
    method: 'GET',
    path: '/apps/:appId/webhooks/:webhookId/deliveries',
    summary: 'List the deliveries of a webhook, newest first',
    description:
      'Lists what was sent to a webhook or waits to be sent, newest first. Deliveries are kept ' +
      'for 14 days, unless the operator has set another time.',
    tag: 'Webhooks',
    effect: 'read',
    requires: 'management',
    params: webhookParams,
    query: Type.Object({
      status: Type.Optional(Status),
      trigger: Type.Optional(Trigger),
      limit: withDefault(Type.Integer({ minimum: 1, maximum: 1000 }), 100),
      before: Type.Optional({ ...DeliveryId, description: '`meta.next.before`' }),
    }),
    response: Type.Object({
      data: Type.Array(Delivery),
      meta: Type.Object({
        current: Type.Object({ limit: Type.Integer(), count: Type.Integer() }),
        next: Type.Optional(Type.Object({ affix: OneOf('prepend'), before: Type.String() })),
      }),
    }),
    errors: ['ERR_APP_NOT_FOUND', 'ERR_WEBHOOK_NOT_FOUND'],
  },
  getDelivery: {
    method: 'GET',
    path: '/apps/:appId/webhooks/:webhookId/deliveries/:deliveryId',
    summary: 'Get a delivery, with what was sent and answered',
    description:
      'Answers one delivery, with the body that was sent and how each attempt was answered.',
    tag: 'Webhooks',
    effect: 'read',
    requires: 'management',
    params,
    response: Data(WholeDelivery),
    errors: ['ERR_APP_NOT_FOUND', 'ERR_WEBHOOK_NOT_FOUND', 'ERR_DELIVERY_NOT_FOUND'],
  },
  redeliver: {
    method: 'POST',
    path: '/apps/:appId/webhooks/:webhookId/deliveries/:deliveryId/redeliver',
    summary: 'Deliver once more',
    description:
      'Sends a delivery that has ended once more, with the same `webhook-id`. Refused while the ' +
      'webhook is disabled.',
    tag: 'Webhooks',
    effect: 'write',
    requires: 'management',
    audit: true,
    params,
    response: Data(Delivery),
    errors: ['ERR_APP_NOT_FOUND', 'ERR_WEBHOOK_NOT_FOUND', 'ERR_DELIVERY_NOT_FOUND'],
  },
  redeliverMany: {
    method: 'POST',
    path: '/apps/:appId/webhooks/:webhookId/deliveries/redeliver',
    summary: 'Deliver once more what fits, oldest first, up to a thousand at a time',
    description:
      'Sends deliveries that have ended once more, oldest first, up to 1000 in one call; those ' +
      'that failed, unless `status` says otherwise. Call again with `data.next` as `after` ' +
      'until there is none. Refused while the webhook is disabled.',
    tag: 'Webhooks',
    effect: 'write',
    requires: 'management',
    audit: true,
    params: webhookParams,
    body: Type.Object({
      status: withDefault(OneOf('delivered', 'failed'), 'failed'),
      trigger: Type.Optional(Trigger),
      createdFrom: Type.Optional(UnixTime),
      createdTo: Type.Optional(UnixTime),
      after: Type.Optional({ ...DeliveryId, description: '`data.next`' }),
    }),
    response: Data(
      Type.Object({
        redelivered: Type.Integer(),
        next: Type.Optional(
          Type.String({ description: 'There may be more: call again with it as `after`.' }),
        ),
      }),
    ),
    errors: ['ERR_APP_NOT_FOUND', 'ERR_WEBHOOK_NOT_FOUND'],
  },
  testWebhook: {
    method: 'POST',
    path: '/apps/:appId/webhooks/:webhookId/test',
    summary: 'Send a webhook something to try it out',
    description:
      'Sends a webhook an event with the trigger `webhook_test`. Look at the result with ' +
      '`getDelivery`. Refused while the webhook is disabled.',
    tag: 'Webhooks',
    effect: 'write',
    requires: 'management',
    audit: true,
    params: webhookParams,
    response: Data(Delivery),
    errors: ['ERR_APP_NOT_FOUND', 'ERR_WEBHOOK_NOT_FOUND'],
  },
})
