import type { AppDb } from '../../../database/app-db.ts'
import type { HeardEvent } from '../../../outbox/listener.ts'
import type { Receiver } from '../../../realtime/ports.ts'
import { otherThan } from '../../log/entries/index.ts'
import { findEntry, findReceiver } from '../../log/index.ts'
import { loadCounterparts, profilesIn } from '../../views/index.ts'
import { findLastForAll } from '../receipts.sql.ts'
import { orderingKeyOf, type Wanted, type WebhookPayload } from './payload.ts'

type Heard = HeardEvent<'conversation.delivered' | 'conversation.read'>
type Kind = 'delivered' | 'read'

const triggers = {
  delivered: { one: 'message_delivery_receipt', all: 'message_delivered_to_all' },
  read: { one: 'message_read_receipt', all: 'message_read_by_all' },
} as const

/** Someone has, or has read, everything up to a message; perhaps they were the last. */
export async function buildReceipt(
  event: Heard,
  db: AppDb,
  wanted: Wanted,
): Promise<WebhookPayload[]> {
  const kind = event.name === 'conversation.read' ? 'read' : 'delivered'
  const { one } = triggers[kind]
  // What was read has been delivered, too.
  const kinds = kind === 'read' ? (['delivered', 'read'] as const) : ([kind] as const)
  const ofAll = kinds.filter((each) => wanted(2, triggers[each].all))
  if (ofAll.length === 0 && !wanted(2, one) && !wanted(1, one)) return []
  const receiver = await findReceiver(db, event.payload)
  if (!receiver) return []
  const payloads = await buildOne(event, db, receiver, kind)
  for (const each of ofAll) payloads.push(...(await buildAll(event, db, receiver, each)))
  return payloads
}

async function buildOne(
  { payload, at }: Heard,
  db: AppDb,
  receiver: Receiver,
  kind: Kind,
): Promise<WebhookPayload[]> {
  const { uid } = payload
  const entry = await findEntry(db, payload, payload.seq)
  if (!entry) return []
  const seen = await seenUsers(db, [uid])
  const to = receiver.kind === 'group' ? receiver.guid : otherThan(uid, receiver.uids)
  const messageId = String(entry.id)
  const shared = { trigger: triggers[kind].one, orderingKey: orderingKeyOf(receiver) }
  const receipt = { receiver: to, receiverType: receiver.kind, type: 'receipts', sender: uid }
  const body = { action: kind, messageId, user: seen(uid), timestamp: at }
  const legacy = {
    messageId,
    receiptType: kind,
    [`${kind}At`]: at,
    messageSender: entry.sender,
    receiptSender: uid,
    receiptReceiver: to,
    receiverType: receiver.kind,
  }
  const current = { ...receipt, messageSender: entry.sender, body }
  return [
    { ...shared, version: 2, data: JSON.stringify(current) },
    { ...shared, version: 1, platform: 'API', data: JSON.stringify(legacy) },
  ]
}

/** Of a group. Sent once for a message, whoever was the last; it stands for all before it. */
async function buildAll(
  { payload, at }: Heard,
  db: AppDb,
  receiver: Receiver,
  kind: Kind,
): Promise<WebhookPayload[]> {
  if (receiver.kind !== 'group') return []
  const last = await findLastForAll(db, payload, kind)
  if (!last) return []
  const seen = await seenUsers(db, ['app_system'])
  const messageId = String(last.id)
  const action = kind === 'read' ? 'readByAll' : 'deliveredToAll'
  const data = JSON.stringify({
    receiver: receiver.guid,
    receiverType: 'group',
    type: 'receipts',
    sender: 'app_system',
    messageSender: last.sender,
    body: { action, messageId, user: seen('app_system'), timestamp: at },
  })
  const eventId = `${messageId}:${action}`
  return [
    {
      version: 2,
      trigger: triggers[kind].all,
      orderingKey: orderingKeyOf(receiver),
      eventId,
      data,
    },
  ]
}

async function seenUsers(db: AppDb, uids: readonly string[]) {
  const wanted = { uids, guids: [], blocks: false }
  return (await loadCounterparts(profilesIn(db), wanted, undefined))({}).user
}
