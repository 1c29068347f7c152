import { type Static, Type } from 'typebox'
import { AppId } from '../apps/index.ts'
import { Data, OneOf, Outcome, Page, pageQuery, searchKey, Timestamp } from '../envelope.ts'
import { operations, withDefault } from '../operation.ts'

const WebhookId = Type.String({
  minLength: 1,
  maxLength: 50,
  pattern: '^[A-Za-z0-9_-]+$',
  'x-objection': 'Use letters, digits, - and _',
})
const appParams = Type.Object({ appId: AppId })
export const webhookParams = Type.Object({ appId: AppId, webhookId: WebhookId })

/** Webhooks of one generation do not exist for calls of the other. */
export const ofGeneration = Type.Object({
  'X-Webhook-Version': withDefault(
    Type.Integer({
      minimum: 1,
      maximum: 2,
      description: '2: webhooks as they are now. 1, or no such header: the older generation.',
    }),
    1,
  ),
})

const Name = Type.String({ minLength: 1, maxLength: 50 })
const WebhookUrl = Type.String({ minLength: 1, maxLength: 255 })
const Username = Type.String({
  minLength: 1,
  maxLength: 50,
  pattern: '^[^:]*$',
  'x-objection': 'Use a user name without a colon',
})
const Password = Type.String({ minLength: 1, maxLength: 100 })
const RetryHours = Type.Integer({
  minimum: 0,
  maximum: 24,
  description: 'With `retryOnFailure`: how long it is tried again, beyond the two early retries.',
})
const OnFailure = OneOf('open', 'closed')
export type OnFailure = Static<typeof OnFailure>

export const Webhook = Type.Object({
  id: Type.String(),
  name: Type.String(),
  webhookURL: Type.String(),
  useBasicAuth: Type.Boolean(),
  username: Type.Optional(Type.String()),
  enabled: Type.Boolean(),
  retryOnFailure: Type.Boolean(),
  retryHours: RetryHours,
  onFailure: OnFailure,
  failingSince: Type.Optional(Timestamp),
  disabledAt: Type.Optional(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Webhook = Static<typeof Webhook>

const signingSecret = Type.String({
  description: 'Signs each delivery. Shown here and never again.',
})
const WithSecret = Type.Object({ ...Webhook.properties, signingSecret })

const settings = {
  username: Type.Optional(Username),
  password: Type.Optional(Password),
}

export const webhooks = operations({
  createWebhook: {
    method: 'POST',
    path: '/apps/:appId/webhooks',
    summary: 'Create a webhook',
    description:
      'Creates a webhook: an address that is called when something happens in the app. The ' +
      'answer holds the secret that signs every call, and shows it only now. Refused when the ' +
      'id is taken, when the address may not be called, or when the app has 25 webhooks.',
    tag: 'Webhooks',
    effect: 'write',
    requires: 'management',
    audit: true,
    params: appParams,
    headers: ofGeneration,
    body: Type.Object({
      id: WebhookId,
      name: Name,
      webhookURL: WebhookUrl,
      useBasicAuth: withDefault(Type.Boolean(), false),
      ...settings,
      enabled: withDefault(Type.Boolean(), true),
      retryOnFailure: withDefault(Type.Boolean(), false),
      retryHours: withDefault(RetryHours, 0),
      onFailure: withDefault(OnFailure, 'open'),
      triggers: Type.Optional(
        Type.Array(Type.String({ maxLength: 100 }), {
          maxItems: 100,
          description: 'Its first triggers; others can be added later.',
        }),
      ),
    }),
    response: Data(WithSecret),
    errors: ['ERR_APP_NOT_FOUND', 'ERR_WEBHOOK_ALREADY_EXISTS', 'ERR_PLAN_QUOTA_RESTRICTION'],
  },
  listWebhooks: {
    method: 'GET',
    path: '/apps/:appId/webhooks',
    summary: 'List webhooks',
    description:
      'Lists the webhooks of an app of one generation; the header `X-Webhook-Version` says ' +
      'which.',
    tag: 'Webhooks',
    effect: 'read',
    requires: 'management',
    params: appParams,
    headers: ofGeneration,
    query: Type.Object({ searchKey, ...pageQuery }),
    response: Page(Webhook),
    errors: ['ERR_APP_NOT_FOUND'],
  },
  getWebhook: {
    method: 'GET',
    path: '/apps/:appId/webhooks/:webhookId',
    summary: 'Get a webhook',
    description: 'Answers one webhook, without its secrets.',
    tag: 'Webhooks',
    effect: 'read',
    requires: 'management',
    params: webhookParams,
    headers: ofGeneration,
    response: Data(Webhook),
    errors: ['ERR_APP_NOT_FOUND', 'ERR_WEBHOOK_NOT_FOUND'],
  },
  updateWebhook: {
    method: 'PUT',
    path: '/apps/:appId/webhooks/:webhookId',
    summary: 'Update a webhook',
    description:
      'Changes a webhook; fields that are not sent stay as they are. An address on another host ' +
      'needs the password again, if there is one. Enabling a webhook that was switched off ' +
      'after failures gives it a new start.',
    tag: 'Webhooks',
    effect: 'write',
    requires: 'management',
    audit: true,
    params: webhookParams,
    headers: ofGeneration,
    body: Type.Object({
      name: Type.Optional(Name),
      webhookURL: Type.Optional(WebhookUrl),
      useBasicAuth: Type.Optional(Type.Boolean()),
      ...settings,
      enabled: Type.Optional(Type.Boolean()),
      retryOnFailure: Type.Optional(Type.Boolean()),
      retryHours: Type.Optional(RetryHours),
      onFailure: Type.Optional(OnFailure),
    }),
    response: Data(Webhook),
    errors: ['ERR_APP_NOT_FOUND', 'ERR_WEBHOOK_NOT_FOUND'],
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/apps/:appId/webhooks/:webhookId',
    summary: 'Delete a webhook',
    description: 'Deletes a webhook with its deliveries. Nothing is sent to it any more.',
    tag: 'Webhooks',
    effect: 'write',
    requires: 'management',
    audit: true,
    params: webhookParams,
    headers: ofGeneration,
    response: Data(Outcome),
    errors: ['ERR_APP_NOT_FOUND', 'ERR_WEBHOOK_NOT_FOUND'],
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/apps/:appId/webhooks/:webhookId/secret',
    summary: 'Give a webhook a new signing secret; the old one signs beside it for a day',
    description:
      'Gives a webhook a new signing secret, and answers it once. For a day every call is ' +
      'signed with both secrets, so that the receiver has time to change.',
    tag: 'Webhooks',
    effect: 'write',
    requires: 'management',
    audit: true,
    params: webhookParams,
    response: Data(WithSecret),
    errors: ['ERR_APP_NOT_FOUND', 'ERR_WEBHOOK_NOT_FOUND'],
  },
})
