import { type Static, Type } from 'typebox'
import {
  CursorPage,
  cursorQuery,
  Data,
  OneOf,
  Outcome,
  searchKey,
  Tags,
  Timestamp,
} from '../envelope.ts'
import { Group, Guid } from '../groups/groups.ts'
import { operations, withDefault } from '../operation.ts'
import { Uid, User } from '../users/users.ts'
import { Message } from './entries.ts'

export const ConversationType = OneOf('user', 'group')

/** A conversation as one user sees it: unread count, tags and reset point are theirs alone. */
export const Conversation = Type.Object({
  conversationId: Type.String(),
  conversationType: ConversationType,
  uid: Type.Optional(Type.String({ description: 'Whose row it is, in lists of the whole app.' })),
  unreadMessageCount: Type.String({ pattern: '^\\d+$' }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  lastMessage: Type.Optional(Message),
  conversationWith: Type.Union([User, Group]),
  tags: Type.Optional(Type.Array(Type.String())),
})
export type Conversation = Static<typeof Conversation>

const One = Data(Type.Array(Conversation))
const withUser = Type.Object({ uid: Uid })
const withGroup = Type.Object({ guid: Guid })
const byId = Type.Object({ conversationId: Type.String({ minLength: 1, maxLength: 250 }) })

const asSomeone = {
  tag: 'Conversations',
  requires: 'fullAccess',
  onBehalfOf: 'required',
} as const

const notAccessible = ['ERR_UID_NOT_FOUND', 'ERR_CONVERSATION_NOT_ACCESSIBLE'] as const
const groupNotAccessible = ['ERR_GUID_NOT_FOUND', ...notAccessible] as const

export const conversations = operations({
  listConversations: {
    method: 'GET',
    path: '/conversations',
    summary: 'List conversations',
    description:
      'Lists the conversations of the acting user, the one with the newest message first, each ' +
      'with its last message and the number of unread messages. Without an acting user it lists ' +
      'those of all users of the app, with `uid` in each row. Conversations with blocked users ' +
      'are left out unless `includeBlockedUsers` is sent.',
    tag: 'Conversations',
    effect: 'read',
    requires: 'fullAccess',
    onBehalfOf: 'optional',
    device: 'acting',
    feature: 'listConversations',
    query: Type.Object({
      searchKey,
      conversationType: Type.Optional(ConversationType),
      tags: Type.Optional(Tags),
      withTags: Type.Optional(Type.Boolean()),
      withUserAndGroupTags: Type.Optional(Type.Boolean()),
      userTags: Type.Optional(Tags),
      groupTags: Type.Optional(Tags),
      includeBlockedUsers: withDefault(Type.Boolean(), false),
      withBlockedInfo: withDefault(Type.Boolean(), false),
      unread: Type.Optional(Type.Boolean()),
      ...cursorQuery,
    }),
    response: CursorPage(Conversation),
    errors: ['ERR_UID_NOT_FOUND', 'ERR_PERMISSION_DENIED'],
  },
  getConversation: {
    ...asSomeone,
    device: 'acting',
    method: 'GET',
    path: '/conversations/:conversationId',
    summary: 'Get a conversation by its id',
    description:
      'Answers a conversation of the acting user by its id, as lists show it. Use the calls by ' +
      'uid or guid instead: the id is made of them.',
    effect: 'read',
    feature: 'getConversation',
    deprecated: true,
    params: byId,
    response: One,
    errors: ['ERR_UID_NOT_FOUND', 'ERR_CONVERSATION_NOT_FOUND', 'ERR_PERMISSION_DENIED'],
  },
  deleteConversation: {
    ...asSomeone,
    onBehalfOf: 'optional',
    method: 'DELETE',
    path: '/conversations/:conversationId',
    summary: 'Delete a conversation by its id, for all its users',
    description:
      'Deletes a conversation for all its users, who no longer see what was said in it. An ' +
      'acting user must take part in it, and in a group be an admin.',
    effect: 'write',
    feature: 'deleteConversationForUser',
    deprecated: true,
    params: byId,
    response: Data(Outcome),
    errors: [
      'ERR_UID_NOT_FOUND',
      'ERR_CONVERSATION_NOT_FOUND',
      'ERR_GROUP_NO_ADMIN_SCOPE',
      'ERR_PERMISSION_DENIED',
    ],
  },
  getUserConversation: {
    ...asSomeone,
    device: 'acting',
    method: 'GET',
    path: '/users/:uid/conversation',
    summary: 'Get the conversation with a user',
    description:
      'Answers the conversation that the acting user has with another user. Refused before the ' +
      'first message between them, and after the acting user has deleted it.',
    effect: 'read',
    feature: 'getConversation',
    params: withUser,
    response: One,
    errors: [...notAccessible, 'ERR_PERMISSION_DENIED'],
  },
  updateUserConversation: {
    ...asSomeone,
    device: 'acting',
    method: 'PUT',
    path: '/users/:uid/conversation',
    summary: 'Tag the conversation with a user',
    description:
      'Puts tags on the conversation with a user. The tags belong to the acting user alone, and ' +
      'the list that is sent takes the place of the old one.',
    effect: 'write',
    params: withUser,
    body: Type.Object({ tags: Type.Optional(Tags) }),
    response: One,
    errors: notAccessible,
  },
  resetUserConversation: {
    ...asSomeone,
    device: 'acting',
    method: 'DELETE',
    path: '/users/:uid/conversation',
    summary: 'Reset the conversation with a user for the acting user',
    description:
      'Deletes the conversation with a user for the acting user alone: it leaves their list ' +
      'until there is a new message, and they do not see the old ones any more. The other user ' +
      'keeps everything.',
    effect: 'write',
    feature: 'deleteConversationForUser',
    params: withUser,
    body: Type.Object({
      conversationWith: Type.Optional(Uid),
      deleteMessagesPermanently: Type.Optional(Type.Boolean()),
    }),
    response: Data(Outcome),
    errors: [...notAccessible, 'ERR_PERMISSION_DENIED'],
  },
  getGroupConversation: {
    ...asSomeone,
    device: 'acting',
    method: 'GET',
    path: '/groups/:guid/conversation',
    summary: 'Get the conversation of a group',
    description:
      'Answers the conversation of a group as the acting user, who must be a member, sees it.',
    effect: 'read',
    feature: 'getConversation',
    params: withGroup,
    response: One,
    errors: [...groupNotAccessible, 'ERR_PERMISSION_DENIED'],
  },
  updateGroupConversation: {
    ...asSomeone,
    device: 'acting',
    method: 'PUT',
    path: '/groups/:guid/conversation',
    summary: 'Tag the conversation of a group',
    description:
      'Puts tags on the conversation of a group. The tags belong to the acting user alone, and ' +
      'the list that is sent takes the place of the old one.',
    effect: 'write',
    params: withGroup,
    body: Type.Object({ tags: Type.Optional(Tags) }),
    response: One,
    errors: groupNotAccessible,
  },
  resetGroupConversation: {
    ...asSomeone,
    device: 'acting',
    method: 'DELETE',
    path: '/groups/:guid/conversation',
    summary: 'Reset the conversation of a group for the acting user',
    description:
      'Deletes the conversation of a group for the acting user alone: it leaves their list ' +
      'until there is a new message, and they do not see the old ones any more. Other members ' +
      'keep everything.',
    effect: 'write',
    feature: 'deleteConversationForUser',
    params: withGroup,
    response: Data(Outcome),
    errors: [...groupNotAccessible, 'ERR_PERMISSION_DENIED'],
  },
})
