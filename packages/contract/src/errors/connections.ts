import type { ErrorText } from './text.ts'

/** Webhooks, extensions, notifications and events: what leads out of the service. */
export const connectionErrors = {
  ERR_WEBHOOK_NOT_FOUND: {
    status: 404,
    message: 'The webhook {id} does not exist.',
    fix: 'Check the id, and the header X-Webhook-Version: webhooks of generation 2 are found only with 2, older ones only without it.',
  },
  ERR_WEBHOOK_ALREADY_EXISTS: {
    status: 409,
    message: 'The webhook {id} exists already.',
    fix: 'Choose another id, or change this webhook with PUT.',
  },
  ERR_TRIGGER_NOT_FOUND: {
    status: 404,
    message: 'There is no trigger {trigger}.',
    fix: 'See docs/webhooks.md for the triggers of each generation.',
  },
  ERR_DELIVERY_NOT_FOUND: {
    status: 404,
    message: 'The delivery {id} does not exist.',
    fix: 'List the deliveries of the webhook; the oldest are forgotten.',
  },
  ERR_BLOCKED_BY_WEBHOOK: {
    status: 403,
    message: 'A webhook has dropped the message.',
    fix: 'The answer of the webhook for before_message decides; its deliveries show what it was told.',
  },
  ERR_EXTENSION_NOT_FOUND: {
    status: 404,
    message: 'The extension {extension} does not exist.',
    fix: 'GET /apps/{appId}/extensions lists those that do.',
  },
  ERR_PUSH_SETTINGS_NOT_FOUND: {
    status: 404,
    message: 'The app {appId} has no push settings yet.',
    fix: 'Save them with PUT; the first time with version and pushProvider.',
  },
  ERR_PUSH_TOKEN_NOT_FOUND: {
    status: 404,
    message: 'This user has no such push token.',
    fix: 'Register the token of the device first. It is forgotten with the auth token that registered it.',
  },
  ERR_PROVIDER_NOT_FOUND: {
    status: 404,
    message: 'The provider {providerId} does not exist.',
    fix: 'List the providers of this kind, or create one with POST.',
  },
  ERR_PROVIDER_ALREADY_EXISTS: {
    status: 409,
    message: 'The provider {providerId} exists already.',
    fix: 'Change it with PUT, or choose another providerId.',
  },
  ERR_EVENTS_GONE: {
    status: 410,
    message: 'Not all events after this cursor are kept any more.',
    fix: 'Begin again without `after`, and read from the lists what you may have missed.',
  },
} as const satisfies Record<string, ErrorText>
