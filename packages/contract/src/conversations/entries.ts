import { type Static, Type } from 'typebox'
import { OneOf, Timestamp } from '../envelope.ts'
import { Group } from '../groups/groups.ts'
import { User } from '../users/users.ts'

const UserEntity = Type.Object({ entity: User, entityType: OneOf('user') })
const GroupEntity = Type.Object({ entity: Group, entityType: OneOf('group') })

/** Found out about a file that is stored here. A sender may give a link any such field. */
const ofFile = (description: string) => Type.Optional(Type.Unknown({ description }))

/** What an entry is, apart from what it says. */
const messageFields = {
  id: Type.String({ description: 'Digits; grows within a conversation.' }),
  muid: Type.Optional(Type.String()),
  conversationId: Type.String(),
  parentId: Type.Optional(Type.String({ description: 'The message that this one replies to.' })),
  sender: Type.String(),
  receiverType: OneOf('user', 'group'),
  receiver: Type.String(),
  category: Type.String(),
  type: Type.String(),
  sentAt: Timestamp,
  updatedAt: Timestamp,
  editedAt: Type.Optional(Timestamp),
  editedBy: Type.Optional(Type.String()),
  deletedAt: Type.Optional(Timestamp),
  deletedBy: Type.Optional(Type.String()),
  deliveredAt: Type.Optional(Timestamp),
  readAt: Type.Optional(Timestamp),
  pinnedAt: Type.Optional(Timestamp),
  pinnedBy: Type.Optional(Type.String()),
  replyCount: Type.Optional(Type.Integer({ description: 'Replies in its thread.' })),
  quotedMessageId: Type.Optional(Type.String()),
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
}

export const Attachment = Type.Object({
  uploadId: Type.Optional(
    Type.String({ description: 'Of a file that was brought by an upload; the rest is filled in.' }),
  ),
  state: Type.Optional({
    ...OneOf('checking', 'refused'),
    description: 'Of such a file that others do not see yet, or that nobody will see.',
  }),
  url: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  mimeType: Type.Optional(Type.String()),
  extension: Type.Optional(Type.String()),
  size: Type.Optional(Type.Union([Type.String(), Type.Integer()])),
  width: ofFile('Of a picture or a video, in pixels.'),
  height: ofFile('Of a picture or a video, in pixels.'),
  thumbhash: ofFile('A picture of a few bytes as text, to be shown until another has come.'),
  duration: ofFile('Of sound and video, in seconds.'),
  waveform: ofFile('How loud it is: a list of numbers from 0 to 100, at places of equal distance.'),
})

/** Metadata as they are shown: addresses of thumbnails may be longer than what may be sent. */
const Shown = Type.Unsafe<Record<string, unknown>>({ type: 'object' })

/** What an entry says, apart from who takes part in it. */
const dataFields = {
  text: Type.Optional(Type.String()),
  metadata: Type.Optional(Shown),
  mentions: Type.Optional(Type.Record(Type.String(), User)),
  url: Type.Optional(Type.String()),
  resource: Type.Optional(Type.String()),
  attachments: Type.Optional(Type.Array(Attachment)),
  /** An object in messages of the category custom; in others whatever was sent. */
  customData: Type.Optional(Type.Unknown()),
  interactiveData: Type.Optional(Type.Unknown()),
  reactions: Type.Optional(
    Type.Array(
      Type.Object({
        reaction: Type.String(),
        count: Type.Integer(),
        reactedByMe: Type.Optional(Type.Boolean()),
      }),
    ),
  ),
  moderation: Type.Optional(
    Type.Object({
      status: Type.String(),
      rule: Type.Optional(Type.Object({ id: Type.String(), name: Type.String() })),
    }),
  ),
  action: Type.Optional(Type.String()),
  oldScope: Type.Optional(Type.String()),
  newScope: Type.Optional(Type.String()),
}

/** Between whom a message is. */
const ends = {
  sender: Type.Optional(UserEntity),
  receiver: Type.Optional(Type.Union([UserEntity, GroupEntity])),
}

/** A message inside another: what was edited, deleted or quoted, as it is now. */
const InnerMessage = Type.Object({
  ...messageFields,
  data: Type.Object({ ...dataFields, entities: Type.Optional(Type.Object(ends)) }),
})
const MessageEntity = Type.Object({ entity: InnerMessage, entityType: OneOf('message') })

/** Who takes part in an entry, each as it is now: no entry keeps a copy of a user or a group. */
const Entities = Type.Object({
  ...ends,
  by: Type.Optional(UserEntity),
  on: Type.Optional(Type.Union([UserEntity, MessageEntity])),
  for: Type.Optional(Type.Union([UserEntity, GroupEntity])),
})

/** An entry of a conversation's log. */
export const Message = Type.Object({
  ...messageFields,
  quotedMessage: Type.Optional(InnerMessage),
  data: Type.Object({ ...dataFields, entities: Type.Optional(Entities) }),
})
export type Message = Static<typeof Message>
