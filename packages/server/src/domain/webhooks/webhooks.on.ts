import type { AppDb } from '../../database/app-db.ts'
import type { EventName } from '../../outbox/events.ts'
import type { HeardEvent, Listener, Reaction } from '../../outbox/listener.ts'
import type { AppTransaction } from '../../outbox/unit-of-work.ts'
import { deliveryQueue } from './delivery-jobs.sql.ts'
import { envelope } from './payloads/envelope.ts'
import { tellEntry } from './payloads/tell-entries.ts'
import { tellGroup } from './payloads/tell-groups.ts'
import {
  tellApproved,
  tellBlocked,
  tellFlagged,
  tellModerationFailed,
  tellSubmission,
} from './payloads/tell-moderation.ts'
import { tellReceipt } from './payloads/tell-receipts.ts'
import { tellBlock, tellPresence, tellReaction } from './payloads/tell-users.ts'
import type { Telling, Wanted } from './payloads/tellings.ts'
import { enqueue, type NewDelivery } from './queue.sql.ts'
import { appsWithWebhooks, findSubscriptions, type Subscription } from './subscriptions.sql.ts'

type Tell<N extends EventName> = (
  event: HeardEvent<N>,
  db: AppDb,
  wanted: Wanted,
  how: Pick<Subscription, 'changedMessageItself'>,
) => Promise<Telling[]>

/**
 * Whatever webhooks want to hear of waits to be sent, from the transaction of the event on. An event
 * that comes twice finds its deliveries.
 */
export const tellWebhooks: Listener = {
  name: 'tell-webhooks',
  idempotent: true,
  concerns: appsWithWebhooks,
  on: {
    'entry.appended': telling(tellEntry),
    'conversation.delivered': telling(tellReceipt),
    'conversation.read': telling(tellReceipt),
    'message.reactionAdded': telling(tellReaction),
    'message.reactionRemoved': telling(tellReaction),
    'message.blocked': telling(tellBlocked),
    'message.approved': telling(tellApproved),
    'message.flagged': telling(tellFlagged),
    'message.moderationFailed': telling(tellModerationFailed),
    'submission.moderated': telling(tellSubmission),
    'user.blocked': telling(tellBlock),
    'user.unblocked': telling(tellBlock),
    'user.connectionStatusChanged': telling(tellPresence),
    'group.created': telling(tellGroup),
    'group.updated': telling(tellGroup),
    'group.deleted': telling(tellGroup),
    'group.ownerChanged': telling(tellGroup),
  },
}

function telling<N extends EventName>(tell: Tell<N>): Reaction<N> {
  return async (event, { db, outbox, now }: AppTransaction) => {
    const subscriptions = await findSubscriptions(db, event.at)
    const wanted: Wanted = (version, trigger) =>
      subscriptions.some((one) => one.version === version && one.triggers.includes(trigger))
    const changedMessageItself = subscriptions.some((one) => one.changedMessageItself)
    const tellings = await tell(event, db, wanted, { changedMessageItself })
    const fresh = subscriptions.flatMap((to) =>
      tellings
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
  told: Telling,
  eventId: string,
  appId: string,
  { id, region }: Subscription,
): NewDelivery {
  const { trigger, line, data } = told
  const says = told.version === 1 ? (told.says ?? trigger) : trigger
  const more = told.version === 1 ? { origin: { platform: told.platform } } : {}
  const body = envelope(says, data, { appId, region, webhook: id }, more)
  return { webhookId: id, eventId: `${told.eventId ?? eventId}:${trigger}`, trigger, line, body }
}
