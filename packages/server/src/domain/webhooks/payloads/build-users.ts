import type { AppDb } from '../../../database/app-db.ts'
import type { HeardEvent } from '../../../outbox/listener.ts'
import { findReceiver } from '../../log/index.ts'
import { shownReactions } from '../../messages/index.ts'
import { loadCounterparts, profilesIn } from '../../views/index.ts'
import { orderingKeyOf, type Wanted, type WebhookPayload } from './payload.ts'

type Blocking = HeardEvent<'user.blocked' | 'user.unblocked'>
type Presence = HeardEvent<'user.connectionStatusChanged'>
type Reacting = HeardEvent<'message.reactionAdded' | 'message.reactionRemoved'>

export async function buildBlock(
  event: Blocking,
  db: AppDb,
  wanted: Wanted,
): Promise<WebhookPayload[]> {
  const trigger = event.name === 'user.blocked' ? 'user_blocked' : 'user_unblocked'
  if (!wanted(2, trigger)) return []
  const { uid, blockedUids } = event.payload
  const seen = await seenUsers(db, [uid, ...blockedUids])
  const users = Object.fromEntries(blockedUids.map((other) => [other, seen(other)]))
  const data = JSON.stringify({ users, by: seen(uid) })
  return [{ version: 2, trigger, orderingKey: `user_${uid}`, data }]
}

export async function buildPresence(
  { payload, at }: Presence,
  db: AppDb,
  wanted: Wanted,
): Promise<WebhookPayload[]> {
  const current = 'user_connection_status_changed'
  const legacy = 'user_connection_status_change'
  if (!wanted(2, current) && !wanted(1, legacy)) return []
  const { uid } = payload
  const online = payload.status === 'available'
  const seen = await seenUsers(db, [uid])
  const data = JSON.stringify({
    timestamp: at * 1000,
    user: seen(uid),
    status: online ? 'online' : 'offline',
    // Of the device nothing is known but that it came or went.
    currentConnection: { action: online ? 'connected' : 'disconnected' },
    userPresenceChanged: true,
  })
  const orderingKey = `user_${uid}`
  const says = 'after_connection_status_changed'
  return [
    { version: 2, trigger: current, orderingKey, data },
    { version: 1, trigger: legacy, says, platform: 'WEBSOCKET', orderingKey, data },
  ]
}

export async function buildReaction(
  event: Reacting,
  db: AppDb,
  wanted: Wanted,
): Promise<WebhookPayload[]> {
  const added = event.name === 'message.reactionAdded'
  const trigger = added ? 'message_reaction_added' : 'message_reaction_removed'
  if (!wanted(2, trigger)) return []
  const { id, uid, reaction, reactionId, reactedAt } = event.payload
  const receiver = await findReceiver(db, event.payload)
  if (!receiver) return []
  const row = { id: reactionId, reaction, uid, reactedAt }
  const [shown] = await shownReactions(db, String(id), [row], undefined)
  const data = JSON.stringify({ reaction: shown })
  return [{ version: 2, trigger, orderingKey: orderingKeyOf(receiver), data }]
}

async function seenUsers(db: AppDb, uids: readonly string[]) {
  const wanted = { uids, guids: [], blocks: false }
  return (await loadCounterparts(profilesIn(db), wanted, undefined))({}).user
}
