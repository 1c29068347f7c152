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
    effect: 'write',
    feature: 'deleteConversationForUser',
    params: withGroup,
    response: Data(Outcome),
    errors: [...groupNotAccessible, 'ERR_PERMISSION_DENIED'],
  },
})
