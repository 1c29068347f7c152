import type { AppDb } from '../../database/app-db.ts'
import { mutesOf, type ParticipantRow } from './audience.sql.ts'
import { isCallTrigger } from './decide.ts'
import type { House } from './house.ts'
import type { Candidate, Device } from './judge.ts'
import { type ActiveToken, activePushTokens } from './push/push-tokens.sql.ts'
import { conversationWith, type Scene } from './scene.ts'

/** The server of the app, which notifies in its own way: it is told of the user, not of devices. */
const ownServer: Device = {
  kind: 'custom',
  type: 'chat',
  pushToken: '',
  pushTokenHash: Buffer.alloc(0),
  providerId: 'custom',
  reachable: true,
}

/** Those who take part, with their devices. */
export async function candidatesOf(
  db: AppDb,
  scene: Scene,
  house: House,
  rows: readonly ParticipantRow[],
  now: number,
): Promise<Candidate[]> {
  const tokens = Map.groupBy(
    await activePushTokens(
      db,
      rows.map(({ uid }) => uid),
      now,
    ),
    ({ uid }) => uid,
  )
  return rows.map((row) => {
    const devices = (tokens.get(row.uid) ?? []).filter((token) => suits(token, scene))
    return {
      ...row,
      isParticipant: true,
      timezone: row.timezone ?? house.timezone,
      mutes: mutesOf(row, conversationWith(scene, row.uid), scene.receiver.kind),
      devices: [
        ...devices.map((token) => ({ ...token, reachable: isReachable(token, house) })),
        ...(house.reaches.has('custom') ? [ownServer] : []),
      ],
    }
  })
}

/** Somebody who does not take part. */
export function stranger(uid: string, { timezone }: House): Candidate {
  return {
    uid,
    isParticipant: false,
    isDeactivated: false,
    blocked: false,
    online: false,
    readSeq: 0,
    choices: {},
    timezone,
    mutes: [],
    devices: [],
  }
}

/** Apple has tokens of their own for calls. */
function suits({ kind, type }: ActiveToken, { trigger }: Scene): boolean {
  if (kind !== 'apns') return true
  return (type === 'call') === isCallTrigger(trigger)
}

function isReachable({ kind, providerId, hasProvider }: ActiveToken, { reaches }: House): boolean {
  return hasProvider || (providerId === null && reaches.has(kind))
}
