import { type Static, type TProperties, Type } from 'typebox'
import { OneOf, Timestamp } from '../envelope.ts'
import { Group } from '../groups/groups.ts'

/** What every event has, of whatever type. */
const common = {
  id: Type.String({ description: 'The same whenever the event is delivered again.' }),
  at: Timestamp,
}

const Receiver = Type.String({ description: 'Uid or guid; `receiverType` says which.' })
const MessageId = Type.String({ description: 'As `id` of the message.' })

const conversation = {
  conversationId: Type.Optional(
    Type.String({ description: 'As in messages. Absent if the conversation was deleted since.' }),
  ),
  receiver: Type.Optional(Receiver),
  receiverType: Type.Optional(OneOf('user', 'group')),
}
const actor = {
  actor: Type.Optional(
    Type.String({
      description:
        'Uid of the user who did it; `app_system` is the app. Absent if it is not known.',
    }),
  ),
}

/** An event about something outside of conversations; `data` names it. */
const AppEvent = <N extends string, T extends TProperties>(type: N, about: string, data: T) =>
  Type.Object(
    { ...common, type: Type.Literal(type), data: Type.Object(data) },
    { description: about },
  )

const GroupEvent = <N extends string, T extends TProperties>(type: N, about: string, data: T) =>
  Type.Object(
    {
      ...common,
      type: Type.Literal(type),
      conversationId: Type.String(),
      receiver: Receiver,
      receiverType: OneOf('group'),
      data: Type.Object(data),
    },
    { description: about },
  )

/** `receiver` is the group, or the other user than the actor. */
const ConversationEvent = <N extends string, T extends TProperties>(
  type: N,
  about: string,
  data: T,
) =>
  Type.Object(
    {
      ...common,
      type: Type.Literal(type),
      ...actor,
      ...conversation,
      messageId: Type.Optional(MessageId),
      data: Type.Object(data),
    },
    { description: about },
  )

/** `receiver` is that of the message. */
const MessageEvent = <N extends string, T extends TProperties>(type: N, about: string, data: T) =>
  Type.Object(
    {
      ...common,
      type: Type.Literal(type),
      ...actor,
      ...conversation,
      messageId: MessageId,
      data: Type.Object(data),
    },
    { description: about },
  )

const Id = Type.String()
const Ids = Type.Unsafe<readonly string[]>(Type.Array(Type.String()))
const Settings = Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object' })
const user = { uid: Id }
const role = { role: Id }
const group = { guid: Id }
const reaction = { reaction: Id, reactionId: Id, reactedAt: Timestamp }

/** What a message says. Large data are left out: read the message. */
const Content = Type.Object({
  category: Type.String(),
  type: Type.String(),
  muid: Type.Optional(Type.String()),
  parentId: Type.Optional(Type.String({ description: 'The message that this one replies to.' })),
  quotedMessageId: Type.Optional(Type.String()),
  tags: Type.Optional(Ids),
  mentions: Type.Optional(Ids),
  data: Type.Optional(Settings),
})

/** One event of an app, as `GET /events` lists it. */
export const Event = Type.Union([
  AppEvent('user.created', 'A user was created.', user),
  AppEvent('user.updated', 'A user was updated.', user),
  AppEvent('user.deactivated', 'A user was deactivated.', user),
  AppEvent('user.reactivated', 'A user was reactivated.', user),
  AppEvent('user.deleted', 'A user was deleted.', user),
  AppEvent('user.connectionStatusChanged', 'A user came online or went offline.', {
    uid: Id,
    status: OneOf('available', 'offline'),
    lastActiveAt: Timestamp,
  }),
  AppEvent('user.blocked', 'A user blocked others.', { uid: Id, blockedUids: Ids }),
  AppEvent('user.unblocked', 'A user unblocked others.', { uid: Id, blockedUids: Ids }),
  AppEvent('friends.added', 'Users became friends of a user.', { uid: Id, friends: Ids }),
  AppEvent('friends.removed', 'Users are no longer friends of a user.', { uid: Id, friends: Ids }),
  AppEvent('authTokens.revoked', 'Auth tokens of a user were revoked.', user),
  AppEvent('issuer.updated', 'A trusted issuer of JWTs was changed.', { issuerId: Id }),
  AppEvent('issuer.deleted', 'An issuer of JWTs is not trusted any more.', { issuerId: Id }),
  AppEvent('role.created', 'A role was created.', role),
  AppEvent('role.updated', 'A role was updated.', role),
  AppEvent('role.deleted', 'A role was deleted.', role),
  AppEvent('role.featuresRestricted', 'Features were denied to a role.', {
    role: Id,
    features: Ids,
  }),
  AppEvent('role.featuresAllowed', 'Features were allowed to a role again.', {
    role: Id,
    features: Ids,
  }),
  AppEvent('role.permissionsSet', 'Permissions of a role were set.', {
    role: Id,
    permissions: Settings,
  }),
  GroupEvent('group.created', 'A group was created.', group),
  GroupEvent('group.updated', 'A group was updated.', group),
  GroupEvent('group.deleted', 'A group was deleted; `group` is its last state.', {
    guid: Id,
    group: Group,
  }),
  GroupEvent('group.ownerChanged', 'A group has another owner.', {
    guid: Id,
    owner: Id,
    oldOwner: Id,
  }),
  GroupEvent('group.scopePermissionsSet', 'Permissions of a scope of a group were set.', {
    guid: Id,
    scope: Id,
    permissions: Settings,
  }),
  ConversationEvent('conversation.started', 'A conversation has its first participants.', {
    uids: Ids,
  }),
  ConversationEvent('conversation.delivered', 'The actor received all up to the message.', {}),
  ConversationEvent('conversation.read', 'The actor read all up to the message.', {}),
  ConversationEvent('conversation.unread', 'The actor marked all after the message unread.', {}),
  ConversationEvent('conversation.reset', 'The actor cleared the conversation for themselves.', {}),
  ConversationEvent(
    'conversation.deleted',
    'The actor deleted the conversation for all its users.',
    {},
  ),
  MessageEvent(
    'message.sent',
    'A message was stored. The category `action` records a change of a group, its members or a message.',
    {
      message: Content,
      moderation: Type.Optional({
        ...OneOf('hidden', 'visible'),
        description: 'A rule matched: whether others than the sender see the message.',
      }),
    },
  ),
  MessageEvent(
    'message.imported',
    'A message that was sent elsewhere was stored, with its own time. Nobody was notified of it.',
    { message: Content },
  ),
  MessageEvent('message.edited', 'A message was edited.', {}),
  MessageEvent('message.deleted', 'A message was deleted.', {}),
  MessageEvent('message.reactionAdded', 'The actor reacted to a message.', reaction),
  MessageEvent('message.reactionRemoved', 'The actor removed a reaction.', reaction),
  MessageEvent('message.interacted', 'The actor used elements of an interactive message.', {
    elementIds: Ids,
  }),
  MessageEvent('message.interactionGoalCompleted', 'The actor reached the interaction goal.', {}),
  MessageEvent('message.pinned', 'The actor pinned a message.', {}),
  MessageEvent('message.unpinned', 'The actor unpinned a message.', {}),
  MessageEvent('message.saved', 'The actor saved a message.', {}),
  MessageEvent('message.unsaved', 'The actor removed a saved message.', {}),
  MessageEvent('thread.subscribed', 'The actor follows the thread of a message.', {}),
  MessageEvent('thread.unsubscribed', 'The actor no longer follows a thread.', {}),
  MessageEvent('message.blocked', 'A message is hidden from all but its sender.', {
    by: OneOf('rule', 'moderator'),
  }),
  MessageEvent('message.flagged', 'A message waits for a moderator.', {
    by: OneOf('rule', 'user'),
  }),
  MessageEvent('message.approved', 'A message was approved; a hidden one has a new id now.', {
    by: OneOf('rule', 'moderator'),
    blockedMessageId: Type.Optional(MessageId),
  }),
  MessageEvent('message.fileChecked', 'A file of a message was checked.', {
    uploadId: Type.String(),
    state: OneOf('ready', 'refused'),
  }),
  MessageEvent('message.moderationFailed', 'Classifiers gave no answer about a message.', {
    failures: Type.Unsafe<readonly { list: string; error: string }[]>(
      Type.Array(Type.Object({ list: Id, error: Type.String() })),
    ),
  }),
  MessageEvent('submission.moderated', 'A message that is stored elsewhere was moderated.', {
    revision: Type.Integer({ description: 'Grows with each edit of the message.' }),
    status: OneOf('approved', 'disapproved'),
    by: OneOf('rules', 'moderator'),
  }),
  AppEvent('rule.saved', 'A moderation rule was saved.', { ruleId: Id, revisionId: Id }),
  AppEvent('rule.deleted', 'A moderation rule was deleted.', { ruleId: Id }),
  AppEvent('keywordList.saved', 'A keyword list was saved.', { keywordId: Id, revisionId: Id }),
  AppEvent('keywordList.deleted', 'A keyword list was deleted.', { keywordId: Id }),
  AppEvent('reason.saved', 'A reason for flagging was saved.', { reasonId: Id }),
  AppEvent('reason.deleted', 'A reason for flagging was deleted.', { reasonId: Id }),
  AppEvent('app.archived', 'The app was archived and will be deleted.', { deleteAt: Timestamp }),
  AppEvent('app.settingsChanged', 'Settings of the app were changed.', { keys: Ids }),
  AppEvent('webhook.disabled', 'A webhook was disabled after days of failures.', {
    webhookId: Id,
    failingSince: Timestamp,
  }),
])
export type Event = Static<typeof Event>
