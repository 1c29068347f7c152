import { type Static, Type } from 'typebox'
import { Metadata, OneOf, Timestamp } from '../envelope.ts'
import { Group } from '../groups/groups.ts'
import { User } from '../users/users.ts'

const UserEntity = Type.Object({ entity: User, entityType: OneOf('user') })
const GroupEntity = Type.Object({ entity: Group, entityType: OneOf('group') })

/** Who takes part in an entry, each as it is now: no entry keeps a copy of a user or a group. */
export const Entities = Type.Object({
  sender: Type.Optional(UserEntity),
  receiver: Type.Optional(Type.Union([UserEntity, GroupEntity])),
  by: Type.Optional(UserEntity),
  on: Type.Optional(UserEntity),
  for: Type.Optional(GroupEntity),
})
export type Entities = Static<typeof Entities>

export const Attachment = Type.Object({
  url: Type.String(),
  name: Type.Optional(Type.String()),
  mimeType: Type.Optional(Type.String()),
  extension: Type.Optional(Type.String()),
  size: Type.Optional(Type.Union([Type.String(), Type.Integer()])),
})

const MessageData = Type.Object({
  text: Type.Optional(Type.String()),
  metadata: Type.Optional(Metadata),
  url: Type.Optional(Type.String()),
  resource: Type.Optional(Type.String()),
  attachments: Type.Optional(Type.Array(Attachment)),
  reactions: Type.Optional(
    Type.Array(
      Type.Object({
        reaction: Type.String(),
        count: Type.Integer(),
        reactedByMe: Type.Optional(Type.Boolean()),
      }),
    ),
  ),
  moderation: Type.Optional(Type.Object({ status: Type.String() })),
  action: Type.Optional(Type.String()),
  oldScope: Type.Optional(Type.String()),
  newScope: Type.Optional(Type.String()),
  entities: Type.Optional(Entities),
})

/** An entry of a conversation's log. */
export const Message = Type.Object({
  id: Type.String({ description: 'Digits; grows within a conversation.' }),
  muid: Type.Optional(Type.String()),
  conversationId: Type.String(),
  parentId: Type.Optional(Type.String({ description: 'The message that this one replies to.' })),
  sender: Type.String(),
  receiverType: OneOf('user', 'group'),
  receiver: Type.String(),
  category: Type.String(),
  type: Type.String(),
  data: MessageData,
  sentAt: Timestamp,
  updatedAt: Timestamp,
  editedAt: Type.Optional(Timestamp),
  editedBy: Type.Optional(Type.String()),
  deletedAt: Type.Optional(Timestamp),
  deletedBy: Type.Optional(Type.String()),
  tags: Type.Optional(Type.Array(Type.String())),
  receipts: Type.Optional(
    Type.Object({
      data: Type.Array(
        Type.Object({
          messageId: Type.String(),
          uid: Type.String(),
          deliveredAt: Type.Optional(Timestamp),
          readAt: Type.Optional(Timestamp),
        }),
      ),
    }),
  ),
})
export type Message = Static<typeof Message>
