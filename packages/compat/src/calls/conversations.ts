import { Conversation, conversationOf } from '../entities/conversation.ts'
import { failure } from '../exception.ts'
import type { BaseMessage } from '../messages/base-message.ts'
import { ask, refusing, uidOfMe } from '../session/state.ts'

export async function getConversation(id: string, type: string): Promise<Conversation> {
  const { data } = await (type === 'group'
    ? ask('getGroupConversation', { params: { guid: id } })
    : ask('getUserConversation', { params: { uid: id } }))
  return oneOf(data)
}

function oneOf(rows: Parameters<typeof conversationOf>[0][]): Conversation {
  const [row] = rows
  if (!row) throw failure('FAILED_TO_FETCH', 'The service answered with no conversation.')
  return conversationOf(row)
}

/** For this user alone; the others keep it. */
export async function deleteConversation(id: string, type: string): Promise<string> {
  const { data } = await (type === 'group'
    ? ask('resetGroupConversation', { params: { guid: id } })
    : ask('resetUserConversation', { params: { uid: id } }))
  return data.message
}

/** In the place of those it had; only this user sees them. */
export async function tagConversation(
  id: string,
  type: string,
  tags: readonly string[],
): Promise<Conversation> {
  const { data } = await (type === 'group'
    ? ask('updateGroupConversation', { params: { guid: id }, body: { tags } })
    : ask('updateUserConversation', { params: { uid: id }, body: { tags } }))
  return oneOf(data)
}

/** The conversation of a message that has just come; the unread count is not known. */
export function getConversationFromMessage(message: BaseMessage): Promise<Conversation> {
  return refusing(async () => {
    const { sender, receiver, receiverId, receiverType, conversationId } = message
    const isToMe = receiverType === 'user' && receiverId === uidOfMe()
    return new Conversation({
      conversationId,
      conversationType: receiverType,
      conversationWith: isToMe ? sender : receiver,
      lastMessage: message,
      unreadMessageCount: 0,
    })
  })
}
