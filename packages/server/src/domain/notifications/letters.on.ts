import type { AppDb } from '../../database/app-db.ts'
import type { HeardEvent, Listener } from '../../outbox/listener.ts'
import { announceInLetters, appsWithLetters, findLetterCarriers } from './letters.sql.ts'
import { keepsLogs } from './notification-logs.ts'
import { sceneOf } from './scene.ts'
import { settingsOf } from './settings.ts'
import { subjectOf } from './subject.ts'

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
  on: { 'entry.appended': (event, { db, now }) => announce(event, db, now) },
}

async function announce(
  event: HeardEvent<'entry.appended'>,
  db: AppDb,
  now: number,
): Promise<undefined> {
  const scene = await sceneOf(event, db)
  if (scene?.trigger !== 'after_message') return
  const { preferences } = await settingsOf(db)
  const carriers = await findLetterCarriers(db)
  const isLogged = await keepsLogs(db, now)
  const channels = carriers.map(({ channel, needsContact }) => ({
    channel,
    dueAtMs: (now + preferences[channel].intervalInSeconds) * 1000,
    onlyUnread: preferences[channel].notifyForUnreadOnly,
    // Otherwise the log says that the address is missing.
    onlyWithContact: needsContact && !isLogged,
  }))
  const { bucket, key, seq, sender } = scene.row
  const message = { ...subjectOf(scene), source: event.id, bucket, key, seq, sender }
  await announceInLetters(db, message, channels, mostMembers, now)
}
