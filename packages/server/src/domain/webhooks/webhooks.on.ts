import type { AppDb } from '../../database/app-db.ts'
import type { EventName } from '../../outbox/events.ts'
import type { HeardEvent, Listener, Reaction } from '../../outbox/listener.ts'
import type { AppTransaction } from '../../outbox/unit-of-work.ts'
import { deliveryQueue } from './delivery-jobs.sql.ts'
import { buildEntry } from './payloads/build-entries.ts'
import { buildGroup } from './payloads/build-groups.ts'
import {
  buildApproved,
  buildBlocked,
  buildFlagged,
  buildModerationFailed,
  buildSubmission,
} from './payloads/build-moderation.ts'
import { buildReceipt } from './payloads/build-receipts.ts'
import { buildBlock, buildPresence, buildReaction } from './payloads/build-users.ts'
import { envelope } from './payloads/envelope.ts'
import type { How, Wanted, WebhookPayload } from './payloads/payload.ts'
import { enqueue, type NewDelivery } from './queue.sql.ts'
import { appsWithWebhooks, findSubscriptions, type Subscription } from './subscriptions.sql.ts'

type Build<N extends EventName> = (
  event: HeardEvent<N>,
  db: AppDb,
  wanted: Wanted,
  how: How,
) => Promise<WebhookPayload[]>

/**
 * Whatever webhooks want to hear of waits to be sent, from the transaction of the event on. An event
 * that comes twice finds its deliveries.
 */
export const notifyWebhooks: Listener = {
  name: 'notify-webhooks',
  idempotent: true,
  concerns: appsWithWebhooks,
  on: {
    'entry.appended': enqueueWith(buildEntry),
    'conversation.delivered': enqueueWith(buildReceipt),
    'conversation.read': enqueueWith(buildReceipt),
    'message.reactionAdded': enqueueWith(buildReaction),
    'message.reactionRemoved': enqueueWith(buildReaction),
    'message.blocked': enqueueWith(buildBlocked),
    'message.approved': enqueueWith(buildApproved),
    'message.flagged': enqueueWith(buildFlagged),
    'message.moderationFailed': enqueueWith(buildModerationFailed),
    'submission.moderated': enqueueWith(buildSubmission),
    'user.blocked': enqueueWith(buildBlock),
    'user.unblocked': enqueueWith(buildBlock),
    'user.connectionStatusChanged': enqueueWith(buildPresence),
    'group.created': enqueueWith(buildGroup),
    'group.updated': enqueueWith(buildGroup),
    'group.deleted': enqueueWith(buildGroup),
    'group.ownerChanged': enqueueWith(buildGroup),
  },
}

function enqueueWith<N extends EventName>(build: Build<N>): Reaction<N> {
  return async (event, { db, outbox, now, addresses }: AppTransaction) => {
    const subscriptions = await findSubscriptions(db, event.at)
    const wanted: Wanted = (version, trigger) =>
      subscriptions.some((one) => one.version === version && one.triggers.includes(trigger))
    const changedMessageItself = subscriptions.some((one) => one.changedMessageItself)
    const payloads = await build(event, db, wanted, { changedMessageItself, addresses })
    const fresh = subscriptions.flatMap((to) =>
      payloads
        .filter(({ version, trigger }) => to.version === version && to.triggers.includes(trigger))
        .map((one) => deliveryOf(one, event.id, db.appId, to)),
    )
    await enqueue(db, fresh, now)
    if (fresh.length > 0) outbox.wake(deliveryQueue)
    return undefined
  }
}

/** The id is the same whenever the event comes again, and for every webhook. */
function deliveryOf(
  payload: WebhookPayload,
  eventId: string,
  appId: string,
  { id, region }: Subscription,
): NewDelivery {
  const { trigger, orderingKey, data } = payload
  const says = payload.version === 1 ? (payload.says ?? trigger) : trigger
  const more = payload.version === 1 ? { origin: { platform: payload.platform } } : {}
  const body = envelope(says, data, { appId, region, webhook: id }, more)
  return {
    webhookId: id,
    eventId: `${payload.eventId ?? eventId}:${trigger}`,
    trigger,
    orderingKey,
    body,
  }
}
