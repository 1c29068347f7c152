import type { HeardEvent, Listener } from '../../../outbox/listener.ts'
import type { AppTransaction } from '../../../outbox/unit-of-work.ts'
import { keepsLogs } from '../notification-logs.ts'
import { sceneOf } from '../scene.ts'
import { settingsOf } from '../settings/settings.ts'
import { subjectOf } from '../subject.ts'
import { announceInLetters, appsWithLetters, findLetterCarriers } from './letters.sql.ts'
import { letterQueue } from './letters-queue.sql.ts'

/** In a larger group nobody gets letters. */
const mostMembers = 30

/**
 * Each message has its place in a letter to everybody who takes part, from the transaction of the
 * event on. Whether the letter is sent is decided when it is due.
 */
export const announceMessages: Listener = {
  name: 'announce-messages',
  harmlessTwice: true,
  concerns: appsWithLetters,
  on: { 'entry.appended': announce },
}

async function announce(
  event: HeardEvent<'entry.appended'>,
  { db, outbox, now }: AppTransaction,
): Promise<undefined> {
  const scene = await sceneOf(event, db)
  if (scene?.trigger !== 'after_message') return
  const { preferences } = await settingsOf(db)
  const carriers = await findLetterCarriers(db)
  const isLogged = await keepsLogs(db, now)
  const channels = carriers.map(({ channel, needsContact }) => ({
    channel,
    dueInMs: preferences[channel].intervalInSeconds * 1000,
    onlyUnread: preferences[channel].notifyForUnreadOnly,
    // Otherwise the log says that the address is missing.
    onlyWithContact: needsContact && !isLogged,
  }))
  const { bucket, key, seq, sender } = scene.row
  const message = { ...subjectOf(scene), source: event.id, bucket, key, seq, sender }
  outbox.enqueued(letterQueue)
  await announceInLetters(db, message, channels, mostMembers, now)
}
