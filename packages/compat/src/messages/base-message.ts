import { fieldsOf } from '../accessors.ts'
import type { Group } from '../entities/group.ts'
import type { User } from '../entities/user.ts'
import type { ReactionCount } from './reaction.ts'

interface MessageFields {
  id: number
  muid: string
  conversationId: string
  parentMessageId: number
  sender: User
  receiver: User | Group
  receiverId: string
  receiverType: string
  category: string
  type: string
  sentAt: number
  updatedAt: number
  deliveredAt: number
  readAt: number
  editedAt: number
  editedBy: string
  deletedAt: number
  deletedBy: string
  replyCount: number
  reactions: ReactionCount[]
  mentionedUsers: User[]
  quotedMessageId: number
  quotedMessage: BaseMessage
  metadata: object
  tags: string[]
  data: Record<string, unknown>
}

const Fields = fieldsOf<MessageFields>([
  'id',
  'muid',
  'conversationId',
  'parentMessageId',
  'sender',
  'receiver',
  'receiverId',
  'receiverType',
  'category',
  'type',
  'sentAt',
  'updatedAt',
  'deliveredAt',
  'readAt',
  'editedAt',
  'editedBy',
  'deletedAt',
  'deletedBy',
  'replyCount',
  'reactions',
  'mentionedUsers',
  'quotedMessageId',
  'quotedMessage',
  'metadata',
  'tags',
  'data',
])

/** What every kind of message has. */
export class BaseMessage extends Fields {
  mentionedMe = false

  constructor(receiverId: string, type: string, receiverType: string, category: string) {
    super()
    this.receiverId = receiverId
    this.type = type
    this.receiverType = receiverType
    this.category = category
    this.reactions = []
    this.mentionedUsers = []
    this.data = {}
  }

  hasMentionedMe(): boolean {
    return this.mentionedMe
  }

  /** As the service sends it. */
  getRawMessage(): Record<string, unknown> {
    return this.data
  }
}

/** What a message says, as the service takes it; each kind has its own. */
export interface Content {
  readonly category: 'message' | 'custom'
  readonly type: string
  readonly data: Record<string, unknown>
}

/** A message that can be sent and edited. */
export abstract class SendableMessage extends BaseMessage {
  abstract content(): Content

  /** Of a message that a rule holds back or has let through. */
  getModerationStatus(): string | undefined {
    const moderation = this.data.moderation as { readonly status?: string } | undefined
    return moderation?.status
  }
}
