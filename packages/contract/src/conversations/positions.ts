import { Type } from 'typebox'
import { Data, Outcome } from '../envelope.ts'
import { Guid } from '../groups/groups.ts'
import { operations } from '../operation.ts'
import { Uid } from '../users/users.ts'

const withUser = Type.Object({ uid: Uid })
const withGroup = Type.Object({ guid: Guid })

const MessageId = Type.Union([
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  Type.String({
    pattern: '^[1-9]\\d{0,15}$',
    'x-objection': 'Use the id of a message, which has digits only',
  }),
])
const upTo = Type.Object({ messageId: Type.Optional(MessageId) })
const after = Type.Object({ messageId: MessageId })

/** The published example of the user variant spells it with a capital; both are there. */
const Marked = Data(Type.Object({ ...Outcome.properties, Message: Type.Optional(Type.String()) }))

const mark = {
  tag: 'Conversations',
  effect: 'write',
  requires: 'fullAccess',
  onBehalfOf: 'required',
  device: 'acting',
  response: Marked,
} as const

const userErrors = [
  'ERR_UID_NOT_FOUND',
  'ERR_CONVERSATION_NOT_ACCESSIBLE',
  'ERR_MESSAGE_ID_NOT_FOUND',
] as const
const groupErrors = ['ERR_GUID_NOT_FOUND', ...userErrors] as const

export const positions = operations({
  markUserConversationDelivered: {
    ...mark,
    method: 'POST',
    path: '/users/:uid/conversation/delivered',
    summary: 'Mark messages with a user as delivered',
    description:
      'Says that the messages with a user have reached the acting user, up to `messageId`, or ' +
      'all without it. The senders see it as a delivery receipt. Never moves back.',
    params: withUser,
    body: upTo,
    errors: userErrors,
  },
  markUserConversationRead: {
    ...mark,
    method: 'POST',
    path: '/users/:uid/conversation/read',
    summary: 'Mark messages with a user as read',
    description:
      'Says that the acting user has read the messages with a user, up to `messageId`, or all ' +
      'without it. The unread count falls, and the sender sees a read receipt. Never moves ' +
      'back.',
    params: withUser,
    body: upTo,
    errors: userErrors,
  },
  markUserConversationUnread: {
    ...mark,
    method: 'DELETE',
    path: '/users/:uid/conversation/read',
    summary: 'Mark messages with a user behind one as unread',
    description: 'Makes the messages after `messageId` count as unread again for the acting user.',
    params: withUser,
    body: after,
    errors: userErrors,
  },
  markGroupConversationDelivered: {
    ...mark,
    method: 'POST',
    path: '/groups/:guid/conversation/delivered',
    summary: 'Mark messages of a group as delivered',
    description:
      'Says that the messages of a group have reached the acting user, up to `messageId`, or ' +
      'all without it. Never moves back.',
    params: withGroup,
    body: upTo,
    errors: groupErrors,
  },
  markGroupConversationRead: {
    ...mark,
    method: 'POST',
    path: '/groups/:guid/conversation/read',
    summary: 'Mark messages of a group as read',
    description:
      'Says that the acting user has read the messages of a group, up to `messageId`, or all ' +
      'without it. Never moves back.',
    params: withGroup,
    body: upTo,
    errors: groupErrors,
  },
  markGroupConversationUnread: {
    ...mark,
    method: 'DELETE',
    path: '/groups/:guid/conversation/read',
    summary: 'Mark messages of a group behind one as unread',
    description:
      'Makes the messages of a group after `messageId` count as unread again for the acting ' +
      'user.',
    params: withGroup,
    body: after,
    errors: groupErrors,
  },
})
