import type { SessionEvents } from '@chorale/sdk'
import { USER_STATUS } from '../constants.ts'
import { tell } from '../listeners/registry.ts'
import { MessageReceipt } from '../messages/receipt.ts'
import { TransientMessage } from '../messages/transient-message.ts'
import { TypingIndicator } from '../messages/typing-indicator.ts'
import { personOf } from './people.ts'

/** One's own marks are heard by one's other devices only. */
export async function hearReceipt(receipt: SessionEvents['receipt'], me: string): Promise<void> {
  const { conversationId, kind, uid, messageId, at } = receipt
  if (uid === me) return
  const guid = /^group_(.*)$/.exec(conversationId)?.[1]
  const { DELIVERY, READ } = MessageReceipt.RECEIPT_TYPE
  const given = {
    messageId,
    sender: await personOf(uid),
    receiver: guid ?? me,
    receiverType: guid === undefined ? 'user' : 'group',
    receiptType: kind === 'read' ? READ : DELIVERY,
    timestamp: String(at),
    ...(kind === 'read' ? { readAt: at } : { deliveredAt: at }),
  }
  const name = kind === 'read' ? 'onMessagesRead' : 'onMessagesDelivered'
  tell('message', name, new MessageReceipt(given))
}

export async function hearPresence(presence: SessionEvents['presence']): Promise<void> {
  const user = await personOf(presence.uid)
  const isOnline = presence.status === 'available'
  user.setStatus(isOnline ? USER_STATUS.ONLINE : USER_STATUS.OFFLINE)
  user.setLastActiveAt(presence.lastActiveAt)
  tell('user', isOnline ? 'onUserOnline' : 'onUserOffline', user)
}

export async function hearTyping(typing: SessionEvents['typing']): Promise<void> {
  const indicator = new TypingIndicator(typing.receiver, typing.receiverType, typing.metadata)
  indicator.setSender(await personOf(typing.sender))
  tell('message', typing.state === 'started' ? 'onTypingStarted' : 'onTypingEnded', indicator)
}

export async function hearTransient(transient: SessionEvents['customEvent']): Promise<void> {
  const { receiver, receiverType, data, sender } = transient
  const message = new TransientMessage(receiver, receiverType, data)
  message.setSender(await personOf(sender))
  tell('message', 'onTransientMessageReceived', message)
}
