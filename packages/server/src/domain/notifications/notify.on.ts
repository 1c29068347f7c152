import type { AppDb } from '../../database/app-db.ts'
import type { HeardEvent, Listener } from '../../outbox/listener.ts'
import type { AppTransaction } from '../../outbox/unit-of-work.ts'
import { traceparentOf } from '../../tracing/trace-context.ts'
import { currentTrace } from '../../tracing/tracer.ts'
import { checkEligibility, type Recipient } from './eligibility.ts'
import { appsThatNotify } from './notification-config.sql.ts'
import { isLogged, type NotificationConfig, notificationConfigOf } from './notification-config.ts'
import { eventOf, type NotificationEvent } from './notification-event.ts'
import { insertDeliveries, type NewDelivery } from './notification-logs.sql.ts'
import { pushQueue } from './push/push-queue.sql.ts'
import { findParticipant, findRecipientRows, type ParticipantRow } from './recipient-rows.sql.ts'
import { recipientsOf } from './recipients.ts'
import { subjectOf } from './subject.ts'

/** So many are decided upon at a time. */
const maxAtOnce = 1000
/**
 * The first of each event are due before they happened, by so much: whoever writes to a few does not
 * wait for the thousands of a large group.
 */
const headStart = { devices: 100, ms: 60_000 }

/**
 * Whoever is to be notified has a row for each device, from the transaction of the event on. An event
 * that comes twice finds its rows.
 */
export const notifyUsers: Listener = {
  name: 'notify-people',
  idempotent: true,
  concerns: appsThatNotify,
  on: {
    'entry.appended': notify,
    'message.reactionAdded': notify,
  },
}

type Heard = HeardEvent<'entry.appended'> | HeardEvent<'message.reactionAdded'>

async function notify(event: Heard, { db, outbox, now }: AppTransaction): Promise<undefined> {
  const notificationEvent = await eventOf(event, db)
  if (!notificationEvent) return
  const config = await notificationConfigOf(db)
  const { bucket, key } = notificationEvent.row
  const logged = isLogged(config, now)
  const onlyWithDevice = !config.reaches.has('custom') && !logged
  const recipientRows = { bucket, key, actor: notificationEvent.actor, onlyWithDevice }
  const only = config.tellsBulk ? undefined : notificationEvent.bulk?.on
  let planned = 0
  for (let after = ''; ; ) {
    const rows = only
      ? await onlyOne(db, notificationEvent, only)
      : await findRecipientRows(db, recipientRows, after, maxAtOnce)
    const recipients = await recipientsOf(db, notificationEvent, config, rows, now)
    const deliveries = recipients.flatMap((one) =>
      deliveriesTo(one, notificationEvent, config, now),
    )
    const kept = deliveries.filter(({ status }) => logged || status === 'waiting')
    const inTurn = kept.map((one, place) => {
      const isFirst = planned + place < headStart.devices
      return { ...one, dueInMs: isFirst ? -headStart.ms : 0 }
    })
    planned += kept.length
    if (inTurn.length > 0) {
      outbox.wake(pushQueue)
      await insertDeliveries(db, inTurn, now)
    }
    const last = rows.at(-1)
    if (!last || rows.length < maxAtOnce) return
    after = last.uid
  }
}

/** For the others nothing is written, not even that it was kept from them. */
async function onlyOne(
  db: AppDb,
  notificationEvent: NotificationEvent,
  uid: string,
): Promise<ParticipantRow[]> {
  const row =
    uid === notificationEvent.actor
      ? undefined
      : await findParticipant(db, notificationEvent.row, uid, notificationEvent.actor)
  return row ? [row] : []
}

/** One for each device that is reached, or one that says why there is none. */
function deliveriesTo(
  recipient: Recipient,
  notificationEvent: NotificationEvent,
  config: NotificationConfig,
  now: number,
): NewDelivery[] {
  const { eventId: source, trigger } = notificationEvent
  const row = { source, trigger, uid: recipient.uid, channel: 'push', dueInMs: 0 } as const
  const about = subjectOf(notificationEvent)
  const refusal = checkEligibility({
    notificationEvent,
    config,
    recipient,
    nowMs: now * 1000,
  }).find(({ passed }) => !passed)
  if (refusal) {
    const { reason } = refusal
    return [{ ...row, ...about, device: '', status: 'withheld', ...(reason && { reason }) }]
  }
  const { bucket, key, seq } = notificationEvent.row
  const { actor, reaction } = notificationEvent
  const trace = currentTrace()
  return recipient.devices
    .filter(({ reachable }) => reachable)
    .map(({ pushTokenHash, providerId, kind, type, pushToken }) => ({
      ...row,
      ...about,
      device: pushTokenHash.toString('hex'),
      status: 'waiting',
      provider: kind,
      ...(providerId !== null && { providerId }),
      tokenType: type,
      pushToken,
      payload: {
        bucket,
        key,
        seq,
        actor,
        ...(reaction !== undefined && { reaction }),
        ...(trace && { trace: traceparentOf(trace) }),
      },
    }))
}
