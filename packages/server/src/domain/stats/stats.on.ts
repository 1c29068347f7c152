import type { HeardEvent, Listener } from '../../outbox/listener.ts'
import {
  type Active,
  addPoints,
  type Fresh,
  noteActive,
  notePeak,
  type Point,
  type Reached,
  takeFresh,
} from './counting.sql.ts'
import { deleteOldStats } from './stats.sql.ts'

const grains = [300, 3600, 86_400]
/** Over so many rows a point is spread. */
const parts = 8
/** How many are online is known of now alone: an older event says nothing of it. */
const freshSeconds = 300

/** Points of messages and receipts, and who was there. */
export const countEvents: Listener = {
  name: 'count-events',
  idempotent: true,
  on: {},
  together: {
    names: [
      'entry.appended',
      'entry.imported',
      'conversation.delivered',
      'conversation.read',
      'user.connectionStatusChanged',
    ],
    async react(events, { db, now }) {
      const reached = events.flatMap(reachedBy)
      const fresh = reached.length > 0 ? await takeFresh(db, reached) : []
      if (fresh.length > 0) await addPoints(db, (reached[0]?.bucket ?? 0) % parts, pointsOf(fresh))
      const came = events.filter((event) => event.name === 'user.connectionStatusChanged')
      const active = [
        ...fresh.map(({ uid, startsAt }) => ({ uid, at: startsAt })),
        ...whoCame(came),
      ]
      if (active.length > 0) await noteActive(db, active)
      if (came.some(({ at }) => at > now - freshSeconds)) await notePeak(db, now)
    },
  },
  tidy: deleteOldStats,
}

function reachedBy({ name, payload }: HeardEvent): Reached[] {
  if (!('bucket' in payload && 'seq' in payload)) return []
  const { bucket, key, seq } = payload
  if (name === 'entry.appended' || name === 'entry.imported')
    return [{ bucket, key, seq, uid: '', kind: 'sent' }]
  const kind = name === 'conversation.read' ? 'read' : 'delivered'
  return 'uid' in payload ? [{ bucket, key, seq, uid: payload.uid, kind }] : []
}

function whoCame(events: readonly HeardEvent[]): Active[] {
  return events.flatMap(({ payload, at }) => ('uid' in payload ? [{ uid: payload.uid, at }] : []))
}

/** Every length of point gets the same counts, so that none is ever worked out from another. */
function pointsOf(fresh: readonly Fresh[]): Point[] {
  const points = new Map<string, { -readonly [K in keyof Point]: number }>()
  for (const { kind, startsAt, count } of fresh) {
    for (const grain of grains) {
      const start = startsAt - (startsAt % grain)
      const name = `${grain} ${start}`
      const none = { grain, startsAt: start, messages: 0, deliveries: 0, reads: 0 }
      const point = points.get(name) ?? none
      point[columns[kind]] += count
      points.set(name, point)
    }
  }
  return [...points.values()]
}

const columns = { sent: 'messages', delivered: 'deliveries', read: 'reads' } as const
