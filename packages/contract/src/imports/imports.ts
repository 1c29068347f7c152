import { type Static, type TSchema, Type } from 'typebox'
import { ConversationType } from '../conversations/conversations.ts'
import { Message } from '../conversations/entries.ts'
import { Data, Identifier, ItemOutcome, OneOf, Tags, Timestamp, UnixTime } from '../envelope.ts'
import { Group, GroupDetails, GroupScope, Guid } from '../groups/groups.ts'
import { Content, MessageId } from '../messages/messages.ts'
import { operations } from '../operation.ts'
import { Uid, User, UserDetails } from '../users/users.ts'

/** The hosted service takes 50. A body has at most a megabyte. */
const maxPerCall = 1000

const ImportedUser = Type.Object({
  ...UserDetails.properties,
  lastActiveAt: Type.Optional(UnixTime),
  deactivatedAt: Type.Optional(UnixTime),
  authTokens: Type.Optional(
    Type.Array(Type.String({ minLength: 20, maxLength: 300, pattern: '^[!-~]+$' }), {
      maxItems: 100,
      description: 'Devices that have one of them stay signed in.',
    }),
  ),
})
export type ImportedUser = Static<typeof ImportedUser>

const ImportedGroup = Type.Object({
  ...GroupDetails.properties,
  groupOwnerDetails: Type.Optional(ImportedUser),
})
export type ImportedGroup = Static<typeof ImportedGroup>

const ImportedMember = Type.Object({
  memberId: Type.String({ maxLength: 300, description: '`<guid>_member_<uid>`, as the key.' }),
  guid: Guid,
  uid: Uid,
  scope: Type.Optional({ ...GroupScope, description: '`participant`, if it is not said.' }),
  isBanned: Type.Optional(Type.Boolean()),
  hasLeft: Type.Optional(
    Type.Boolean({ description: 'With `update`: neither a member nor banned any more.' }),
  ),
  joinedAt: Type.Optional(UnixTime),
  groupDetails: Type.Optional(GroupDetails),
  userDetails: Type.Optional(ImportedUser),
})
export type ImportedMember = Static<typeof ImportedMember>

const ImportedMessage = Type.Object({
  id: Type.Optional({
    ...MessageId,
    description:
      'Its id elsewhere, which it keeps. Up to 4503599627370495, and larger than those of the ' +
      'messages before it in the conversation.',
  }),
  muid: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'As the key. A message that has none is sent with its id here, and keeps none.',
  }),
  parentId: Type.Optional({ ...MessageId, description: 'The message that it replies to.' }),
  quotedMessageId: Type.Optional(MessageId),
  sender: Uid,
  receiverType: OneOf('user', 'group'),
  receiver: Identifier('Uid or guid of the receiver.'),
  category: Type.Optional(OneOf('message', 'custom', 'interactive', 'call', 'action')),
  type: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  data: Type.Optional({
    ...Content,
    description: 'Of an action: `action`, and `entities.on`, as lists show them.',
  }),
  tags: Type.Optional(Tags),
  sentAt: UnixTime,
  updatedAt: Type.Optional(UnixTime),
  editedAt: Type.Optional(UnixTime),
  editedBy: Type.Optional(Uid),
  deletedAt: Type.Optional({ ...UnixTime, description: 'What it said is not stored.' }),
  deletedBy: Type.Optional(Uid),
  deliveredAt: Type.Optional({ ...UnixTime, description: 'To the receiver, who is a user.' }),
  readAt: Type.Optional({ ...UnixTime, description: 'By the receiver, who is a user.' }),
  reactions: Type.Optional(
    Type.Array(
      Type.Object({
        uid: Uid,
        reaction: Type.String({ minLength: 1, maxLength: 100 }),
        reactedAt: Type.Optional(UnixTime),
      }),
      { maxItems: 1000 },
    ),
  ),
  senderUserDetails: Type.Optional(ImportedUser),
  receiverUserDetails: Type.Optional(ImportedUser),
  receiverGroupDetails: Type.Optional(GroupDetails),
  receiverGroupOwnerDetails: Type.Optional(ImportedUser),
})
export type ImportedMessage = Static<typeof ImportedMessage>

const ImportedConversation = Type.Object({
  uid: Uid,
  conversationType: ConversationType,
  conversationWith: Identifier('Uid or guid, as `conversationType` says.'),
  unreadMessageCount: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000_000,
      description: 'The position is where as many messages behind it are unread.',
    }),
  ),
  lastReadMessageId: Type.Optional({
    ...MessageId,
    description: 'The position itself, if it is known; then the count is not needed.',
  }),
  readAt: Type.Optional(UnixTime),
  tags: Type.Optional(Tags),
})
export type ImportedConversation = Static<typeof ImportedConversation>

function ById<T extends TSchema>(item: T) {
  return Type.Record(Type.String(), item, { maxProperties: maxPerCall })
}

/** What became of each, by its key in the call. */
function Outcomes<T extends TSchema>(data: T) {
  const outcome = Type.Object({ ...ItemOutcome.properties, data: Type.Optional(data) })
  return Data(Type.Record(Type.String(), outcome))
}

const update = Type.Optional(
  Type.Boolean({ description: 'What is stored already becomes what the call says.' }),
)

const Member = Type.Object({
  guid: Type.String(),
  uid: Type.String(),
  scope: GroupScope,
  joinedAt: Timestamp,
})

// An item that is refused carries its error; the call is answered with 200.
const shared = {
  method: 'POST',
  tag: 'Data import',
  effect: 'write',
  requires: 'fullAccess',
} as const

export const imports = operations({
  importUsers: {
    ...shared,
    path: '/data_import/users',
    summary: 'Import users',
    description:
      'Stores up to 1,000 users with the times that they have elsewhere, each under its uid. The ' +
      'answer says what became of each. A user who was imported before, and is the same, is ' +
      'answered as stored; one who differs is refused, or with `update` becomes what the call says. ' +
      'No webhook and no event tells of it.',
    body: Type.Object({ users: ById(ImportedUser), update }),
    response: Outcomes(User),
    errors: [],
  },
  importGroups: {
    ...shared,
    path: '/data_import/groups',
    summary: 'Import groups',
    description:
      'Stores up to 1,000 groups, each under its guid. The owner becomes a member; an owner who ' +
      'does not exist is created from `groupOwnerDetails`. A group that was imported before, and ' +
      'is the same, is answered as stored; one that differs is refused, or with `update` becomes ' +
      'what the call says.',
    body: Type.Object({ groups: ById(ImportedGroup), update }),
    response: Outcomes(Group),
    errors: [],
  },
  importMembers: {
    ...shared,
    path: '/data_import/members',
    summary: 'Import members of groups',
    description:
      'Stores up to 1,000 members or, with `isBanned`, banned users, each under ' +
      '`<guid>_member_<uid>`. `joinedAt` lies between the creation of the group and now. A group ' +
      'or user that does not exist is created from the details. With `update` a member becomes what ' +
      'the call says: another scope, banned, or with `hasLeft` nobody. No message in the group tells ' +
      'of it.',
    body: Type.Object({ members: ById(ImportedMember), update }),
    response: Outcomes(Member),
    errors: [],
  },
  importMessages: {
    ...shared,
    effect: 'parts',
    path: '/data_import/messages',
    summary: 'Import messages',
    description:
      'Stores up to 1,000 messages with the times and ids that they have elsewhere, each under its ' +
      'muid. Within a conversation they come in the order of `sentAt`: one that is older than ' +
      'the last message of its conversation is refused. Nobody is notified, neither by push nor by ' +
      'webhook; rules of moderation are not asked. They raise no unread count, unless `unread` is ' +
      'sent. A message that was imported before is answered as stored; with `update` its edit, its ' +
      'deletion and its reactions become what the call says. `data.attachments` may name uploads of ' +
      'the sender, or such as belong to no user; with `update` they take the place of links, which ' +
      'is no edit. Users and groups that do not exist are created from the details. A call that fails ' +
      'may have stored some of its messages: send it again.',
    body: Type.Object({
      messages: ById(ImportedMessage),
      update,
      unread: Type.Optional(
        Type.Boolean({
          description:
            'They count as unread for those whose position lies before them, as messages do that ' +
            'are sent. Import the positions afterwards.',
        }),
      ),
    }),
    response: Outcomes(Message),
    errors: [],
  },
  importConversations: {
    ...shared,
    path: '/data_import/conversations',
    summary: 'Import what users have read',
    description:
      'Says of up to 1,000 users and their conversations, under keys of your choice, how far they ' +
      'have read, and which tags they have put there. The messages come first, imported with ' +
      '`unread`. The answer has the unread count that this makes.',
    body: Type.Object({ conversations: ById(ImportedConversation) }),
    response: Outcomes(Type.Object({ unreadMessageCount: Type.Integer() })),
    errors: [],
  },
})
