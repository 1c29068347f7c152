import type { Ask } from './ask.ts'
import type { Target } from './targets.ts'

/** Up to this message, or all. */
export async function markDelivered(ask: Ask, target: Target, messageId?: string): Promise<void> {
  const body = messageId === undefined ? {} : { messageId }
  const { receiver } = target
  await (target.receiverType === 'user'
    ? ask('markUserConversationDelivered', { params: { uid: receiver }, body })
    : ask('markGroupConversationDelivered', { params: { guid: receiver }, body }))
}

/** Up to this message, or all. */
export async function markRead(ask: Ask, target: Target, messageId?: string): Promise<void> {
  const body = messageId === undefined ? {} : { messageId }
  const { receiver } = target
  await (target.receiverType === 'user'
    ? ask('markUserConversationRead', { params: { uid: receiver }, body })
    : ask('markGroupConversationRead', { params: { guid: receiver }, body }))
}
