import type { Conversation } from '../entities/conversation.ts'
import { failure } from '../exception.ts'
import { BaseMessage } from '../messages/base-message.ts'
import { MessageReceipt } from '../messages/receipt.ts'
import { personOf } from '../session/people.ts'
import { ask, refusing, uidOfMe } from '../session/state.ts'
import { getConversation } from './conversations.ts'

interface Mark {
  readonly id?: string
  readonly with: string
  readonly type: string
}

/** From a message, or from its id, the receiver of the receipt and the type of the receiver. */
function markOf(message: BaseMessage | number | string, receiverId?: string, type?: string): Mark {
  if (message instanceof BaseMessage) {
    const { id, receiverId: receiver, receiverType, sender } = message
    const isToMe = receiverType === 'user' && receiver === uidOfMe()
    return { id: String(id), with: isToMe ? sender.uid : receiver, type: receiverType }
  }
  if (!receiverId || !type) throw failure('MISSING_PARAMETERS', 'The receiver is missing.')
  return { id: String(message), with: receiverId, type }
}

async function markDelivered({ id, with: receiver, type }: Mark): Promise<void> {
  const body = id === undefined ? {} : { messageId: id }
  await (type === 'group'
    ? ask('markGroupConversationDelivered', { params: { guid: receiver }, body })
    : ask('markUserConversationDelivered', { params: { uid: receiver }, body }))
}

async function markRead({ id, with: receiver, type }: Mark): Promise<void> {
  const body = id === undefined ? {} : { messageId: id }
  await (type === 'group'
    ? ask('markGroupConversationRead', { params: { guid: receiver }, body })
    : ask('markUserConversationRead', { params: { uid: receiver }, body }))
}

/** Up to this message. */
export function markAsDelivered(
  message: BaseMessage | number | string,
  receiverId?: string,
  receiverType?: string,
  _senderId?: string,
): Promise<void> {
  return refusing(async () => markDelivered(markOf(message, receiverId, receiverType)))
}

/** Up to this message. */
export function markAsRead(
  message: BaseMessage | number | string,
  receiverId?: string,
  receiverType?: string,
  _senderId?: string,
): Promise<void> {
  return refusing(async () => markRead(markOf(message, receiverId, receiverType)))
}

export async function markConversationAsDelivered(id: string, type: string): Promise<string> {
  await markDelivered({ with: id, type })
  return 'The conversation is delivered.'
}

export async function markConversationAsRead(id: string, type: string): Promise<string> {
  await markRead({ with: id, type })
  return 'The conversation is read.'
}

/** All behind this message. */
export async function markMessageAsUnread(message: BaseMessage): Promise<Conversation> {
  const { with: receiver, type } = markOf(message)
  const body = { messageId: String(message.id) }
  await (type === 'group'
    ? ask('markGroupConversationUnread', { params: { guid: receiver }, body })
    : ask('markUserConversationUnread', { params: { uid: receiver }, body }))
  return getConversation(receiver, type)
}

const pageSize = 100

/** Who has received and read it. */
export async function getMessageReceipts(messageId: number | string): Promise<MessageReceipt[]> {
  const id = String(messageId)
  const { data } = await ask('listReceipts', { params: { id }, query: { limit: pageSize } })
  return Promise.all(
    data.map(async ({ uid, deliveredAt, readAt }) => {
      const { DELIVERY, READ } = MessageReceipt.RECEIPT_TYPE
      return new MessageReceipt({
        messageId: id,
        sender: await personOf(uid),
        receiptType: readAt === undefined ? DELIVERY : READ,
        timestamp: String(readAt ?? deliveredAt),
        ...(deliveredAt !== undefined && { deliveredAt }),
        ...(readAt !== undefined && { readAt }),
      })
    }),
  )
}
