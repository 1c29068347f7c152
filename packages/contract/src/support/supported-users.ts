import { Type } from 'typebox'
import { ConversationType } from '../conversations/conversations.ts'
import { Data, OneOf, Timestamp } from '../envelope.ts'
import { operations, withDefault } from '../operation.ts'
import { Uid } from '../users/users.ts'

const text = Type.Optional(Type.String())
const time = Type.Optional(Timestamp)
const params = Type.Object({ uid: Uid })

const FoundUser = Type.Object({
  uid: Type.String(),
  name: Type.String(),
  email: Type.Optional(Type.String({ description: 'Of the contact details.' })),
  avatar: text,
  role: Type.String(),
  deactivatedAt: time,
  foundBy: OneOf('uid', 'email', 'name'),
})

const Device = Type.Object({
  platform: Type.String(),
  kind: OneOf('fcm', 'apns', 'web'),
  type: OneOf('chat', 'call'),
  providerId: text,
  pushToken: Type.String({ description: 'Its last four characters.' }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  goneAt: Type.Optional({ ...Timestamp, description: 'When the provider said that it is gone.' }),
})

const SignIn = Type.Object({
  createdAt: Timestamp,
  expiresAt: time,
  platform: text,
  userAgent: text,
  issuerId: Type.Optional(Type.String({ description: 'Signed in with a JWT of this issuer.' })),
})

const Push = Type.Object({
  id: Type.String(),
  at: Timestamp,
  channel: OneOf('push', 'email', 'sms'),
  trigger: Type.String(),
  status: OneOf('waiting', 'sent', 'failed', 'withheld'),
  reason: text,
  provider: text,
  messageId: text,
  sender: text,
})

const GroupOfUser = Type.Object({
  guid: Type.String(),
  name: Type.String(),
  scope: Type.String(),
  joinedAt: Timestamp,
})

const ConversationOfUser = Type.Object({
  conversationId: Type.String(),
  conversationType: ConversationType,
  with: Type.String({ description: 'The other uid, or the guid.' }),
  withName: Type.String(),
  lastMessageAt: time,
  unreadMessageCount: Type.Integer(),
})

const read = { method: 'GET', tag: 'Support', effect: 'read', requires: 'fullAccess' } as const
const limit = withDefault(Type.Integer({ minimum: 1, maximum: 100 }), 20)

export const supportedUsers = operations({
  findUsers: {
    ...read,
    path: '/support/users',
    summary: 'Find users by uid, name or e-mail address',
    description:
      'Finds users whose uid, e-mail address or name begins with what is searched for; exact ' +
      'matches come first. The e-mail address is that of the contact details.',
    query: Type.Object({
      search: Type.String({ minLength: 1, maxLength: 200 }),
      limit,
    }),
    response: Data(Type.Array(FoundUser)),
    errors: [],
  },
  getSupportedUser: {
    ...read,
    path: '/support/users/:uid',
    summary: 'Get what support needs to know of a user',
    description:
      'Answers the devices of a user, how they are signed in, their groups, and what became of ' +
      'the last notifications. Tokens are masked; a deactivated user is answered as well.',
    params,
    response: Data(
      Type.Object({
        uid: Type.String(),
        name: Type.String(),
        avatar: text,
        role: Type.String(),
        email: text,
        phone: text,
        online: Type.Boolean(),
        lastActiveAt: time,
        createdAt: Timestamp,
        deactivatedAt: time,
        devices: Type.Array(Device),
        signIns: Type.Array(SignIn),
        groups: Type.Array(GroupOfUser, { description: 'The first hundred.' }),
        pushes: Type.Array(Push, { description: 'The last twenty, newest first.' }),
      }),
    ),
    errors: ['ERR_UID_NOT_FOUND'],
  },
  listConversationsOfUser: {
    ...read,
    path: '/support/users/:uid/conversations',
    summary: 'List with whom a user talks, the last active first',
    description:
      'Lists the conversations of a user, the last active first, without what is said in them. ' +
      '`listMessages` with `conversationId` reads one.',
    params,
    query: Type.Object({ limit }),
    response: Data(Type.Array(ConversationOfUser)),
    errors: ['ERR_UID_NOT_FOUND'],
  },
})
