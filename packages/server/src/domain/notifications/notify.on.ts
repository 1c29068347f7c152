import type { AppDb } from '../../database/app-db.ts'
import type { HeardEvent, Listener } from '../../outbox/listener.ts'
import type { AppTransaction } from '../../outbox/unit-of-work.ts'
import { findAudience, findParticipant, type ParticipantRow } from './audience.sql.ts'
import { candidatesOf } from './candidates.ts'
import { appsThatNotify } from './house.sql.ts'
import { type House, houseOf, isLogged } from './house.ts'
import { type Candidate, judge } from './judge.ts'
import { insertDeliveries, type NewDelivery } from './notification-logs.sql.ts'
import { pushQueue } from './push/push-queue.sql.ts'
import { type Scene, sceneOf } from './scene.ts'
import { subjectOf } from './subject.ts'

/** So many are decided upon at a time. */
const mostAtOnce = 1000
/**
 * The first of each event are due before they happened, by so much: whoever writes to a few does not
 * wait for the thousands of a large group.
 */
const headStart = { devices: 100, ms: 60_000 }

/**
 * Whoever is to be notified has a row for each device, from the transaction of the event on. An event
 * that comes twice finds its rows.
 */
export const notifyPeople: Listener = {
  name: 'notify-people',
  harmlessTwice: true,
  concerns: appsThatNotify,
  on: {
    'entry.appended': notify,
    'message.reactionAdded': notify,
  },
}

type Heard = HeardEvent<'entry.appended'> | HeardEvent<'message.reactionAdded'>

async function notify(event: Heard, { db, outbox, now }: AppTransaction): Promise<undefined> {
  const scene = await sceneOf(event, db)
  if (!scene) return
  const house = await houseOf(db)
  const { bucket, key } = scene.row
  const logged = isLogged(house, now)
  const onlyWithDevice = !house.reaches.has('custom') && !logged
  const audience = { bucket, key, actor: scene.actor, onlyWithDevice }
  const only = house.tellsBulk ? undefined : scene.bulk?.on
  let planned = 0
  for (let after = ''; ; ) {
    const rows = only
      ? await onlyOne(db, scene, only)
      : await findAudience(db, audience, after, mostAtOnce)
    const candidates = await candidatesOf(db, scene, house, rows, now)
    const deliveries = candidates.flatMap((one) => deliveriesTo(one, scene, house, now))
    const kept = deliveries.filter(({ status }) => logged || status === 'waiting')
    const inTurn = kept.map((one, place) => {
      const isFirst = planned + place < headStart.devices
      return { ...one, dueInMs: isFirst ? -headStart.ms : 0 }
    })
    planned += kept.length
    if (inTurn.length > 0) {
      outbox.enqueued(pushQueue)
      await insertDeliveries(db, inTurn, now)
    }
    const last = rows.at(-1)
    if (!last || rows.length < mostAtOnce) return
    after = last.uid
  }
}

/** For the others nothing is written, not even that it was kept from them. */
async function onlyOne(db: AppDb, scene: Scene, uid: string): Promise<ParticipantRow[]> {
  const row =
    uid === scene.actor ? undefined : await findParticipant(db, scene.row, uid, scene.actor)
  return row ? [row] : []
}

/** One for each device that is reached, or one that says why there is none. */
function deliveriesTo(
  candidate: Candidate,
  scene: Scene,
  house: House,
  now: number,
): NewDelivery[] {
  const { eventId: source, trigger } = scene
  const row = { source, trigger, uid: candidate.uid, channel: 'push', dueInMs: 0 } as const
  const about = subjectOf(scene)
  const refusal = judge({ scene, house, candidate, nowMs: now * 1000 }).find(
    ({ passed }) => !passed,
  )
  if (refusal) {
    const { reason } = refusal
    return [{ ...row, ...about, device: '', status: 'withheld', ...(reason && { reason }) }]
  }
  const { bucket, key, seq } = scene.row
  const { actor, reaction } = scene
  return candidate.devices
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
      payload: { bucket, key, seq, actor, ...(reaction !== undefined && { reaction }) },
    }))
}
