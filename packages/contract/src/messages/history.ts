import { type Static, Type } from 'typebox'
import { Message } from '../conversations/entries.ts'
import { Identifier, OneOf, Pagination, Tags, UnixTime } from '../envelope.ts'
import { Guid } from '../groups/groups.ts'
import { operations, withDefault } from '../operation.ts'
import { Uid } from '../users/users.ts'
import { MessageId } from './messages.ts'
import { Edge } from './windows.ts'

const flag = Type.Optional(Type.Boolean())
const Names = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 25 })

/** What every list of messages can be narrowed to. */
const filters = {
  searchKey: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Words of the text, or their beginnings.',
    }),
  ),
  category: Type.Optional(Type.String({ maxLength: 100 })),
  categories: Type.Optional(Names),
  type: Type.Optional(Type.String({ maxLength: 100 })),
  types: Type.Optional(Names),
  sender: Type.Optional(Identifier('Uid of the sender.')),
  hasAttachments: flag,
  attachmentTypes: Type.Optional(OneOf('image', 'video', 'audio', 'file')),
  hasMentions: flag,
  mentionedUids: Type.Optional(
    Type.String({ maxLength: 3000, description: 'Uids, separated by commas.' }),
  ),
  hasLinks: flag,
  hasReactions: withDefault(Type.Boolean(), false),
  hideReplies: flag,
  hideDeleted: flag,
  onlyDeleted: flag,
  hideMessagesFromBlockedUsers: flag,
  tags: Type.Optional(Tags),
  fromTimestamp: Type.Optional(UnixTime),
  toTimestamp: Type.Optional(UnixTime),
  myMentionsOnly: withDefault(Type.Boolean(), false),
}

/** What the reader has not seen yet. */
const PositionQuery = Type.Object({
  unread: flag,
  undelivered: flag,
  count: Type.Optional(Type.Boolean({ description: 'With `unread`: how many, instead of which.' })),
})
export type PositionQuery = Static<typeof PositionQuery>

/** Where the page begins: the newest messages, or those before or after one. */
const place = {
  affix: Type.Optional(
    Type.Unsafe<'append' | 'prepend'>({
      ...OneOf('append', 'prepend'),
      description: '`append`: after `id` or `sentAt`, `prepend`: before it.',
    }),
  ),
  id: Type.Optional(MessageId),
  sentAt: Type.Optional(UnixTime),
}

const appearance = {
  withTags: flag,
  mentionsWithBlockedInfo: withDefault(Type.Boolean(), false),
  mentionswithTagInfo: withDefault(Type.Boolean(), false),
}

const limit = withDefault(Type.Integer({ minimum: 1, maximum: 1000 }), 10)

const HistoryQuery = Type.Object({ ...filters, ...place, ...appearance, limit })
export type HistoryQuery = Static<typeof HistoryQuery>

const WindowMeta = Type.Object({
  current: Type.Object({ limit: Type.Integer(), count: Type.Integer() }),
  next: Type.Optional(Edge),
  previous: Type.Optional(Edge),
})
export type WindowMeta = Static<typeof WindowMeta>

export const UnreadCount = Type.Object({
  entityId: Type.String({ description: 'Uid or guid.' }),
  entityType: OneOf('user', 'group'),
  count: Type.Integer(),
})

export type UnreadCount = Static<typeof UnreadCount>

/** Messages in the order they were sent; or, for `count`, how many are unread. */
const Rows = Type.Array(Type.Union([Message, UnreadCount]))
const Window = Type.Object({ data: Rows, meta: WindowMeta })

const list = {
  method: 'GET',
  tag: 'Messages',
  effect: 'read',
  requires: 'fullAccess',
  onBehalfOf: 'optional',
  device: 'acting',
} as const

export const history = operations({
  listMessages: {
    ...list,
    path: '/messages',
    summary: 'List messages of the app, or of the acting user',
    description:
      'Lists messages of the app, or for an acting user those of all their conversations, in ' +
      'the order in which they were sent. All filters can be combined; with `unread` and ' +
      '`count` the answer says how many messages are unread in each conversation.',
    feature: 'listMessages',
    query: Type.Object({
      ...HistoryQuery.properties,
      ...PositionQuery.properties,
      receiverType: Type.Optional(OneOf('user', 'group')),
      conversationId: Type.Optional(Type.String({ minLength: 1, maxLength: 250 })),
    }),
    response: Window,
    errors: ['ERR_UID_NOT_FOUND', 'ERR_CONVERSATION_NOT_ACCESSIBLE', 'ERR_PERMISSION_DENIED'],
  },
  listUserMessages: {
    ...list,
    path: '/users/:uid/messages',
    summary: 'List messages with a user, or all that a user can see',
    description:
      'Lists the messages between the acting user and the user in the path, in the order in ' +
      'which they were sent. Without an acting user it lists all messages that the user in the ' +
      'path can see.',
    feature: 'getUserMessages',
    params: Type.Object({ uid: Uid }),
    query: Type.Object({
      ...HistoryQuery.properties,
      ...PositionQuery.properties,
      perPage: withDefault(Type.Integer({ minimum: 1, maximum: 1000 }), 100),
    }),
    response: Type.Object({
      data: Rows,
      meta: Type.Object({
        ...Type.Partial(WindowMeta).properties,
        pagination: Type.Optional(Pagination),
        cursor: Type.Optional(
          Type.Object({ id: Type.Integer(), affix: OneOf('append', 'prepend') }),
        ),
      }),
    }),
    errors: ['ERR_UID_NOT_FOUND', 'ERR_PERMISSION_DENIED'],
  },
  listGroupMessages: {
    ...list,
    path: '/groups/:guid/messages',
    summary: 'List messages of a group',
    description:
      'Lists the messages of a group in the order in which they were sent. An acting user must ' +
      'be a member; the app may hide from new members what was said before they came.',
    feature: 'getGroupMessages',
    params: Type.Object({ guid: Guid }),
    query: Type.Object({ ...HistoryQuery.properties, ...PositionQuery.properties }),
    response: Window,
    errors: [
      'ERR_UID_NOT_FOUND',
      'ERR_GUID_NOT_FOUND',
      'ERR_GROUP_NOT_JOINED',
      'ERR_BANNED_GROUPMEMBER',
      'ERR_PERMISSION_DENIED',
    ],
  },
  listReplies: {
    ...list,
    path: '/messages/:id/thread',
    summary: 'List the replies to a message',
    description:
      'Lists the replies in the thread of a message, in the order in which they were sent.',
    feature: 'listThreadedMessages',
    params: Type.Object({ id: MessageId }),
    query: HistoryQuery,
    response: Window,
    errors: [
      'ERR_UID_NOT_FOUND',
      'ERR_MESSAGE_ID_NOT_FOUND',
      'ERR_MESSAGE_NO_ACCESS',
      'ERR_PERMISSION_DENIED',
    ],
  },
})
