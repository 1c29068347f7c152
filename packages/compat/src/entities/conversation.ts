import type { Conversation as WireConversation } from '@chorale/sdk'
import { fieldsOf } from '../accessors.ts'
import type { BaseMessage } from '../messages/base-message.ts'
import { messageOf } from '../messages/from-wire.ts'
import { type Group, groupOf } from './group.ts'
import { type User, userOf } from './user.ts'

export interface ConversationFields {
  conversationId: string
  conversationType: string
  conversationWith: User | Group
  lastMessage: BaseMessage
  unreadMessageCount: number
  tags: string[]
}

const Fields = fieldsOf<ConversationFields>([
  'conversationId',
  'conversationType',
  'conversationWith',
  'lastMessage',
  'unreadMessageCount',
  'tags',
])

export class Conversation extends Fields {
  constructor(given: Partial<ConversationFields>) {
    super()
    Object.assign(this, given)
  }
}

export function conversationOf(wire: WireConversation): Conversation {
  const { conversationId, conversationType, conversationWith, lastMessage, tags } = wire
  return new Conversation({
    conversationId,
    conversationType,
    conversationWith:
      'guid' in conversationWith ? groupOf(conversationWith) : userOf(conversationWith),
    unreadMessageCount: Number(wire.unreadMessageCount),
    ...(lastMessage && { lastMessage: messageOf(lastMessage) }),
    ...(tags && { tags }),
  })
}
