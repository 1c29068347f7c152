import type { SessionEvents } from '../session/events.ts'
import type { Outgoing } from '../session/outgoing.ts'
import type { Session } from '../session/session.ts'
import { type Target, targetOf } from '../session/targets.ts'
import type { OpenConversation } from './conversation.ts'
import { conversationIdOf, keyOf } from './conversation-ids.ts'
import type { ConversationList } from './conversation-list.ts'
import type { ConversationRows } from './conversation-rows.ts'
import type { PresenceBook } from './people.ts'
import type { TypingUsers } from './typing.ts'

/** Everything that is open in a chat. */
export interface ChatParts {
  readonly session: Session
  readonly rows: ConversationRows
  readonly list: ConversationList
  readonly presence: PresenceBook
  /** By receiver. */
  readonly conversations: Map<string, OpenConversation>
  /** Messages of this device that are not stored, by client id. */
  readonly unsent: Map<string, Outgoing>
  uid(): string
  typingIn(target: Target): TypingUsers
}

/** Takes what the session hears to where it is shown. */
export function listen(parts: ChatParts): void {
  const { session, rows, conversations, presence, uid } = parts
  const withId = (id: string) =>
    [...conversations.values()].filter(({ api }) => conversationIdOf(api, uid()) === id)

  session.on('connection', ({ state }) => {
    if (state === 'online') comeBack(parts)
  })
  session.on('message', ({ conversationId, message }) => {
    const target = targetOf(message, uid())
    rows.hearMessage(conversationId, message)
    parts.typingIn(target).hear(message.sender, 'ended')
    conversations.get(keyOf(target))?.hearMessage(message)
  })
  session.on('changed', ({ conversationId, message }) => {
    rows.hearChange(conversationId, message)
    conversations.get(keyOf(targetOf(message, uid())))?.hearChange(message)
  })
  session.on('outgoing', (outgoing) => {
    if (outgoing.state === 'sent') parts.unsent.delete(outgoing.clientId)
    else parts.unsent.set(outgoing.clientId, outgoing)
    conversations.get(keyOf(outgoing.draft))?.hearOutgoing(outgoing)
  })
  session.on('reload', ({ conversationId }) => {
    rows.refresh(conversationId)
    for (const one of withId(conversationId)) one.reload()
  })
  session.on('left', ({ conversationId }) => {
    rows.remove(conversationId)
    for (const one of withId(conversationId)) one.leave()
  })
  session.on('receipt', (receipt) => {
    const { conversationId, kind, messageId } = receipt
    if (receipt.uid !== uid()) for (const one of withId(conversationId)) one.hearReceipt(receipt)
    else if (kind === 'read') rows.hearRead(conversationId, messageId)
  })
  session.on('presence', ({ uid: other, status, lastActiveAt }) => {
    const target = { receiver: other, receiverType: 'user' } as const
    presence.hear(other, { status, lastActiveAt })
    rows.hearPresence(conversationIdOf(target, uid()), { status, lastActiveAt })
  })
  session.on('typing', (event) => parts.typingIn(senderOf(event)).hear(event.sender, event.state))
  session.on('customEvent', (event) => {
    const { sender, data } = event
    conversations.get(keyOf(senderOf(event)))?.hearEvent({ sender, data })
  })
}

/** Where what is not kept was said. */
function senderOf({
  sender,
  receiver,
  receiverType,
}: SessionEvents['typing' | 'customEvent']): Target {
  return { receiver: receiverType === 'user' ? sender : receiver, receiverType }
}

/** What may be lost without a connection is read anew. */
function comeBack({ rows, list, presence, conversations }: ChatParts): void {
  void rows.readUnread()
  presence.readAll()
  list.retry()
  for (const one of conversations.values()) one.retry()
}
