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
  readonly sentAt: number
  readonly updatedAt: number
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
export function uidsIn({ sender, data }: EntryRow, receiver: Receiver): string[] {
  const others = receiver.kind === 'user' ? receiver.uids : []
  return [sender, ...others, ...(data.on === undefined ? [] : [data.on])]
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
    receipts: { data: [] },
  }
}

/** By whom, on whom, in which group. */
function actionData({ sender, data }: EntryRow, receiver: Receiver, seen: Counterparts) {
  const { on, ...rest } = data
  const group = receiver.kind === 'group' ? seen.group(receiver.guid) : undefined
  return {
    ...rest,
    entities: {
      by: userEntity(sender, seen),
      ...(on !== undefined && { on: userEntity(on, seen) }),
      ...(group && { for: { entity: group, entityType: 'group' as const } }),
    },
  }
}

function messageData({ sender, data }: EntryRow, receiver: Receiver, seen: Counterparts) {
  const group = receiver.kind === 'group' ? seen.group(receiver.guid) : undefined
  const to =
    receiver.kind === 'user'
      ? userEntity(otherThan(sender, receiver.uids), seen)
      : group && { entity: group, entityType: 'group' as const }
  return {
    ...data,
    entities: { sender: userEntity(sender, seen), ...(to && { receiver: to }) },
  }
}

function userEntity(uid: string, seen: Counterparts) {
  return { entity: seen.user(uid), entityType: 'user' as const }
}

function otherThan(uid: string, [a, b]: readonly [string, string]): string {
  return uid === a ? b : a
}
