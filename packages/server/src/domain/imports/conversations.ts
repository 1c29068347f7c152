import type { ImportedMessage } from '@chorale/contract/imports'
import type { ConversationKey } from '../../outbox/committed.ts'
import { badRequest, Failure } from '../../pipeline/failure.ts'
import type { WriteCtx } from '../../pipeline/handler.ts'
import type { Receiver } from '../../realtime/ports.ts'
import { findGroupsToFill } from '../groups/index.ts'
import { findUserConversations } from '../log/index.ts'
import { ensureUserConversation } from '../log/participants/index.ts'
import { findUsers } from '../users/index.ts'
import { refusalOf } from './people.ts'

/** Where a message from elsewhere goes. */
export interface Target {
  readonly conversation: ConversationKey
  readonly receiver: Receiver
}

/**
 * The conversation of each message, in the same order; two users who never wrote have one from here on.
 * Who sent a message is a user, active or not; whether they may write to the receiver was decided
 * elsewhere.
 */
export async function resolveConversations(
  ctx: WriteCtx,
  messages: readonly ImportedMessage[],
  made: ReadonlyMap<string, unknown>,
): Promise<(Target | Failure)[]> {
  const uids = messages.flatMap(({ sender, receiver, receiverType }) =>
    receiverType === 'user' ? [sender, receiver] : [sender],
  )
  const users = await findUsers(ctx.db, [...new Set(uids)], undefined)
  const existing = new Set(users.map(({ uid }) => uid))
  const guids = messages.flatMap(({ receiver, receiverType }) =>
    receiverType === 'group' ? [receiver] : [],
  )
  const groups = await findGroupsToFill(ctx.db, [...new Set(guids)])
  const betweenUsers = messages.filter(
    (one) => one.receiverType === 'user' && !objectionTo(one, existing),
  )
  const pairs = await conversationsOf(ctx, betweenUsers)
  return messages.map((message) => {
    const objection = objectionTo(message, existing)
    if (objection) return objection
    const { sender, receiver, receiverType } = message
    if (receiverType === 'group') {
      const group = groups.get(receiver)
      return group
        ? { conversation: group, receiver: { kind: 'group', guid: receiver } }
        : refusalOf(made.get(receiver), receiver)
    }
    const conversation = pairs.get(nameOf(message))
    if (!conversation) throw new Error('A conversation was lost while it was imported.')
    return { conversation, receiver: { kind: 'user', uids: [sender, receiver] } }
  })
}

function objectionTo(
  { sender, receiver, receiverType }: ImportedMessage,
  existing: ReadonlySet<string>,
): Failure | undefined {
  if (!existing.has(sender)) return new Failure('ERR_UID_NOT_FOUND', { uid: sender })
  if (receiverType === 'group') return undefined
  if (sender === receiver) {
    return badRequest('receiver', 'The sender and the receiver are the same user.')
  }
  return existing.has(receiver) ? undefined : new Failure('ERR_UID_NOT_FOUND', { uid: receiver })
}

async function conversationsOf(
  ctx: WriteCtx,
  messages: readonly ImportedMessage[],
): Promise<ReadonlyMap<string, ConversationKey>> {
  const first = new Map<string, ImportedMessage>()
  for (const message of messages) {
    const before = first.get(nameOf(message))
    if (!before || message.sentAt < before.sentAt) first.set(nameOf(message), message)
  }
  const pairs = Array.from(first.values(), (message) => {
    const [low = '', high = ''] = [message.sender, message.receiver].sort()
    return { low, high }
  })
  const known = await findUserConversations(ctx.db, pairs)
  // In one order: two calls that make the same two do not wait for each other.
  const missing = [...first]
    .filter(([name]) => !known.has(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  for (const [name, { sender, receiver, sentAt }] of missing) {
    const { bucket, key, made } = await ensureUserConversation(ctx.db, sender, receiver, sentAt)
    known.set(name, { bucket, key })
    if (made)
      await ctx.outbox.append('conversation.started', { bucket, key, uids: [sender, receiver] })
  }
  return known
}

function nameOf({ sender, receiver }: ImportedMessage): string {
  return [sender, receiver].sort().join(' ')
}
