import type { HeardEvent, Listener } from '../../../outbox/listener.ts'
import type { AppTransaction } from '../../../outbox/unit-of-work.ts'
import { eventOf } from '../notification-event.ts'
import { keepsLogs } from '../notification-logs.ts'
import { settingsOf } from '../settings/settings.ts'
import { subjectOf } from '../subject.ts'
import { announceInDigests, appsWithDigests, findDigestCarriers } from './digests.sql.ts'
import { digestQueue } from './digests-queue.sql.ts'

/** In a larger group nobody gets digests. */
const maxMembers = 30

/**
 * Each message has its place in a digest to everybody who takes part, from the transaction of the
 * event on. Whether the digest is sent is decided when it is due.
 */
export const announceMessages: Listener = {
  name: 'announce-messages',
  idempotent: true,
  concerns: appsWithDigests,
  on: { 'entry.appended': announce },
}

async function announce(
  event: HeardEvent<'entry.appended'>,
  { db, outbox, now }: AppTransaction,
): Promise<undefined> {
  const notificationEvent = await eventOf(event, db)
  if (notificationEvent?.trigger !== 'after_message') return
  const { preferences } = await settingsOf(db)
  const carriers = await findDigestCarriers(db)
  const isLogged = await keepsLogs(db, now)
  const channels = carriers.map(({ channel, needsContact }) => ({
    channel,
    dueInMs: preferences[channel].intervalInSeconds * 1000,
    onlyUnread: preferences[channel].notifyForUnreadOnly,
    // Otherwise the log says that the address is missing.
    onlyWithContact: needsContact && !isLogged,
  }))
  const { bucket, key, seq, sender } = notificationEvent.row
  const message = { ...subjectOf(notificationEvent), source: event.id, bucket, key, seq, sender }
  outbox.wake(digestQueue)
  await announceInDigests(db, message, channels, maxMembers, now)
}
