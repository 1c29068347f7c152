import type { AppDb } from '../../database/app-db.ts'
import { isCallTrigger } from './decide.ts'
import type { Device, Recipient } from './eligibility.ts'
import type { NotificationConfig } from './notification-config.ts'
import { conversationWith, type NotificationEvent } from './notification-event.ts'
import { type ActiveToken, activePushTokens } from './push/push-tokens.sql.ts'
import { mutesOf, type ParticipantRow } from './recipient-rows.sql.ts'

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
export async function recipientsOf(
  db: AppDb,
  notificationEvent: NotificationEvent,
  config: NotificationConfig,
  rows: readonly ParticipantRow[],
  now: number,
): Promise<Recipient[]> {
  const tokens = Map.groupBy(
    await activePushTokens(
      db,
      rows.map(({ uid }) => uid),
      now,
    ),
    ({ uid }) => uid,
  )
  return rows.map((row) => {
    const devices = (tokens.get(row.uid) ?? []).filter((token) => suits(token, notificationEvent))
    return {
      ...row,
      isParticipant: true,
      timezone: row.timezone ?? config.timezone,
      mutes: mutesOf(
        row,
        conversationWith(notificationEvent, row.uid),
        notificationEvent.receiver.kind,
      ),
      devices: [
        ...devices.map((token) => ({ ...token, reachable: isReachable(token, config) })),
        ...(config.reaches.has('custom') ? [ownServer] : []),
      ],
    }
  })
}

/** Somebody who does not take part. */
export function stranger(uid: string, { timezone }: NotificationConfig): Recipient {
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
function suits({ kind, type }: ActiveToken, { trigger }: NotificationEvent): boolean {
  if (kind !== 'apns') return true
  return (type === 'call') === isCallTrigger(trigger)
}

function isReachable(
  { kind, providerId, hasProvider }: ActiveToken,
  { reaches }: NotificationConfig,
): boolean {
  return hasProvider || (providerId === null && reaches.has(kind))
}
