import type { Message } from '@chorale/contract/conversations'
import { conversationIdOf } from '../users/index.ts'
import { type Counterparts, groupConversationId } from './counterparts.ts'

/** An entry as it is stored, with the other side of its conversation. */
export interface EntryRow {
  readonly id: number
  readonly sender: string
  readonly category: string
  readonly type: string
  readonly muid: string | null
  readonly data: StoredData
  readonly extra: Extra | null
  readonly sentAt: number
  readonly updatedAt: number
  readonly editedAt: number | null
  readonly deletedAt: number | null
}

/** What stands beside the data, where there is any. */
interface Extra {
  readonly tags?: readonly string[]
  readonly mentions?: readonly string[]
  readonly editedBy?: string
  readonly deletedBy?: string
}

/** What an entry keeps: ids of who takes part, never copies of them. */
type StoredData = Readonly<Record<string, unknown>> & {
  readonly action?: string
  readonly on?: string
}

export type Receiver =
  | { readonly kind: 'group'; readonly guid: string }
  | { readonly kind: 'user'; readonly uids: readonly [string, string] }

/** Whom an entry speaks of, so that all can be loaded at once. */
export function uidsIn({ sender, data, extra }: EntryRow, receiver: Receiver): string[] {
  const others = receiver.kind === 'user' ? receiver.uids : []
  const on = data.on === undefined ? [] : [data.on]
  return [sender, ...others, ...on, ...(extra?.mentions ?? [])]
}

export function shownEntry(row: EntryRow, receiver: Receiver, seen: Counterparts): Message {
  const conversationId =
    receiver.kind === 'group'
      ? groupConversationId(receiver.guid)
      : conversationIdOf(...receiver.uids)
  return {
    id: String(row.id),
    ...(row.muid !== null && { muid: row.muid }),
    conversationId,
    sender: row.sender,
    receiverType: receiver.kind,
    receiver: receiver.kind === 'group' ? receiver.guid : otherThan(row.sender, receiver.uids),
    category: row.category,
    type: row.type,
    data:
      row.category === 'action'
        ? actionData(row, receiver, seen)
        : messageData(row, receiver, seen),
    sentAt: row.sentAt,
    updatedAt: row.updatedAt,
    ...changesOf(row),
    ...(row.extra?.tags && { tags: [...row.extra.tags] }),
    receipts: { data: [] },
  }
}

function changesOf({ editedAt, deletedAt, extra }: EntryRow) {
  return {
    ...(editedAt !== null && { editedAt }),
    ...(extra?.editedBy !== undefined && { editedBy: extra.editedBy }),
    ...(deletedAt !== null && { deletedAt }),
    ...(extra?.deletedBy !== undefined && { deletedBy: extra.deletedBy }),
  }
}

/** By whom, on whom, for which group or user. */
function actionData({ sender, data }: EntryRow, receiver: Receiver, seen: Counterparts) {
  const { on, ...rest } = data
  const concerned = receiverEntity(sender, receiver, seen)
  return {
    ...rest,
    entities: {
      by: userEntity(sender, seen),
      ...(on !== undefined && { on: userEntity(on, seen) }),
      ...(concerned && { for: concerned }),
    },
  }
}

/** A deleted message keeps who it was between, and nothing of what it said. */
function messageData(row: EntryRow, receiver: Receiver, seen: Counterparts) {
  const { sender, extra } = row
  const to = receiverEntity(sender, receiver, seen)
  const entities = { sender: userEntity(sender, seen), ...(to && { receiver: to }) }
  if (row.deletedAt !== null) return { entities }
  const mentions = extra?.mentions?.length
    ? { mentions: Object.fromEntries(extra.mentions.map((uid) => [uid, seen.user(uid)])) }
    : {}
  return { ...row.data, entities, ...mentions }
}

/** Undefined for a group that is gone. */
function receiverEntity(sender: string, receiver: Receiver, seen: Counterparts) {
  if (receiver.kind === 'user') return userEntity(otherThan(sender, receiver.uids), seen)
  const group = seen.group(receiver.guid)
  return group && { entity: group, entityType: 'group' as const }
}

function userEntity(uid: string, seen: Counterparts) {
  return { entity: seen.user(uid), entityType: 'user' as const }
}

function otherThan(uid: string, [a, b]: readonly [string, string]): string {
  return uid === a ? b : a
}
