import type { CurrentTrigger } from '@chorale/contract/webhooks'
import type { AppDb } from '../../../database/app-db.ts'
import type { HeardEvent } from '../../../outbox/listener.ts'
import { rawObject } from '../../../pipeline/raw-json.ts'
import type { Receiver } from '../../../realtime/ports.ts'
import { type EntryRow, freshRow } from '../../log/entries/index.ts'
import { findEntry, findReceiver } from '../../log/index.ts'
import { loadCounterparts, profilesIn, serialiseFresh } from '../../views/index.ts'
import { type How, orderingKeyOf, type Wanted, type WebhookPayload } from './payload.ts'

type Heard = HeardEvent<'entry.appended'>

interface Action {
  readonly action: string
  readonly on?: string
  readonly oldScope?: string
  readonly newScope?: string
}

const messageActions: Readonly<Record<string, CurrentTrigger>> = {
  edited: 'message_edited',
  deleted: 'message_deleted',
}

const memberActions: Readonly<Record<string, CurrentTrigger>> = {
  added: 'group_member_added',
  kicked: 'group_member_kicked',
  banned: 'group_member_banned',
  unbanned: 'group_member_unbanned',
  joined: 'group_member_joined',
  left: 'group_member_left',
  scopeChanged: 'group_member_scope_changed',
}

/** A message was sent, changed or withdrawn, or something happened to a member of a group. */
export async function buildEntry(
  { payload, at }: Heard,
  db: AppDb,
  wanted: Wanted,
  how: How,
): Promise<WebhookPayload[]> {
  const { category, type, caught } = payload
  if (caught === 'withheld') return []
  const says =
    category === 'action'
      ? triggersOfAction(type, payload.data)
      : [...triggersOf(payload), ...(await approvalOf(payload, db, wanted))]
  if (!says.some((trigger) => wanted(2, trigger)) && !hearsLegacy(category, wanted)) return []
  const receiver = await findReceiver(db, payload)
  const row = receiver && (await rowOf(payload, at, db))
  if (!receiver || !row) return []
  const orderingKey = orderingKeyOf(receiver)
  const isMovement = category === 'action' && type === 'groupMember'
  const message = isMovement ? undefined : await serialiseMessage(db, row, receiver, how)
  const data = message ? rawObject({}, { message }) : await serialiseMovement(db, row, receiver)
  const current = says.map((trigger) => ({ version: 2, trigger, data, orderingKey }) as const)
  if (!message || !hearsLegacy(category, wanted)) return current
  const legacy = { version: 1, trigger: 'after_message', platform: 'API', orderingKey } as const
  return [...current, { ...legacy, data: message }]
}

function hearsLegacy(category: string, wanted: Wanted): boolean {
  return category !== 'action' && wanted(1, 'after_message')
}

function triggersOf({ extra }: Heard['payload']): CurrentTrigger[] {
  const { mentions } = (extra ?? {}) as { mentions?: readonly string[] }
  return mentions?.length ? ['message_sent', 'user_mentioned'] : ['message_sent']
}

/** By rules, that is: one that a moderator has approved names the rule that had caught it. */
async function approvalOf(
  payload: Heard['payload'],
  db: AppDb,
  wanted: Wanted,
): Promise<CurrentTrigger[]> {
  const trigger = 'moderation_engine_approved'
  if (!wanted(2, trigger)) return []
  const data = payload.data ?? JSON.parse((await findEntry(db, payload, payload.seq))?.data ?? '{}')
  const { status, rule }: { status?: string; rule?: object } = data.moderation ?? {}
  return status === 'approved' && !rule ? [trigger] : []
}

function triggersOfAction(type: string, data: Heard['payload']['data']): CurrentTrigger[] {
  const actions = type === 'groupMember' ? memberActions : messageActions
  return [actions[String(data?.action)] ?? []].flat()
}

/** As it was said; what is too large to travel is read. */
async function rowOf(
  payload: Heard['payload'],
  at: number,
  db: AppDb,
): Promise<EntryRow | undefined> {
  const { data } = payload
  if (data === undefined) return findEntry(db, payload, payload.seq)
  return freshRow(payload, { ...payload, at }, { ...payload, data: JSON.stringify(data) })
}

async function serialiseMessage(
  db: AppDb,
  row: EntryRow,
  receiver: Receiver,
  { changedMessageItself, addresses }: How,
): Promise<string> {
  const [text = ''] = await serialiseFresh(db, profilesIn(db), [{ row, receiver }], {
    viewer: undefined,
    addresses,
  })
  if (row.category !== 'action' || !changedMessageItself) return text
  const message = JSON.parse(text).data.entities.on?.entity
  return message ? JSON.stringify(message) : text
}

/** Who came, went or changed; `by` whom, unless they did it themselves. */
async function serialiseMovement(db: AppDb, row: EntryRow, receiver: Receiver): Promise<string> {
  // Only the service itself writes actions.
  const { on, oldScope, newScope: scope } = JSON.parse(row.data) as Action
  const uid = on ?? row.sender
  const guids = receiver.kind === 'group' ? [receiver.guid] : []
  const wanted = { uids: [uid, row.sender], guids, blocks: false }
  const seen = (await loadCounterparts(profilesIn(db), wanted, undefined))({ withTags: true })
  const member = { ...seen.user(uid), ...(scope !== undefined && { scope, oldScope }) }
  return JSON.stringify({
    group: guids[0] === undefined ? undefined : seen.group(guids[0]),
    members: { [uid]: member },
    ...(on !== undefined && { by: seen.user(row.sender) }),
  })
}
