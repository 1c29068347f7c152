import { type Static, Type } from 'typebox'
import { Data, Identifier, OneOf, Timestamp, UnixMillis } from '../envelope.ts'
import { operations, withDefault } from '../operation.ts'

export const NotificationTrigger = OneOf(
  'after_message',
  'message_deleted',
  'message_edited',
  'message_reaction_added',
  'initiated',
  'rejected',
  'cancelled',
  'unanswered',
  'ongoing',
  'busy',
  'ended',
  'after_group_joined',
  'after_group_left',
  'after_group_members_added',
  'after_group_members_kicked',
  'after_group_members_banned',
  'after_group_members_unbanned',
  'after_scope_changed',
)
export type NotificationTrigger = Static<typeof NotificationTrigger>

/** Why a notification was not sent, or did not arrive. */
export const NotificationReason = OneOf(
  'MESSAGES_PREFERENCE',
  'REPLIES_PREFERENCE',
  'MESSAGE_ACTIONS_PREFERENCE',
  'REACTIONS_PREFERENCE',
  'GROUP_ACTIONS_PREFERENCE',
  'DND_PREFERENCE',
  'MUTE_PREFERENCE',
  'SCHEDULE_PREFERENCE',
  'CALL_PREFERENCE',
  'QUOTA_PREFERENCE',
  'MISSING_EMAIL',
  'MISSING_PHNO',
  'INVALID_PUSH_PROVIDER_ID',
  'TIMED_OUT',
  'NOT_FOUND',
  'TWILIO_CREATE_ERROR',
  'NO_PROVIDER',
  'PUSH_SETTINGS_FLAG',
  'OWN_ACTION',
  'NOT_A_PARTICIPANT',
  'USER_DEACTIVATED',
  'BULK_CHANGE',
  'BLOCKED',
  'ALREADY_READ',
  'MESSAGE_DELETED',
  'ONLINE',
  'NO_DEVICE',
  'REFUSED',
)
export type NotificationReason = Static<typeof NotificationReason>

const Channel = OneOf('push', 'email', 'sms')
const Carrier = OneOf('fcm', 'apns', 'sendgrid', 'twilio', 'custom', 'web', 'smtp')
const ReceiverType = OneOf('user', 'group')
const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
const Ms = Type.Integer({ description: 'Unix milliseconds.' })
const Instant = Type.Integer({
  ...UnixMillis,
  description: 'Unix seconds; milliseconds, if it has that many digits.',
})

const text = Type.Optional(Type.String())
const textOrNull = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const integer = Type.Optional(Type.Integer())

/** What the provider was given. It has more, and of some providers less. */
const Payload = Type.Object({
  payload: Type.Optional(
    Type.Object({
      title: text,
      body: text,
      tag: text,
      sender: text,
      senderName: text,
      receiver: text,
      receiverName: text,
      receiverType: text,
      conversationId: text,
      type: text,
      sessionId: textOrNull,
      callAction: textOrNull,
      callType: textOrNull,
      sentAt: textOrNull,
    }),
  ),
  contentAvailable: integer,
  mutableContent: integer,
  topic: text,
  alert: Type.Optional(Type.Object({ title: text, body: text })),
  priority: integer,
  pushType: text,
  sound: text,
  collapseId: text,
  expiry: integer,
  type: text,
})

const NotificationLog = Type.Object({
  _id: Type.String(),
  uid: Type.String({ description: 'Whom it was for.' }),
  component: Type.String(),
  channel: Channel,
  trigger: NotificationTrigger,
  notificationTriggered: Type.Boolean({ description: 'False where a preference forbade it.' }),
  success: Type.Optional(Type.Boolean({ description: 'Not there while it is under way.' })),
  reason: Type.Optional(
    Type.String({ description: 'One that can be searched by, or what the provider said.' }),
  ),
  provider: Type.Optional(Carrier),
  providerId: text,
  tokenType: text,
  pushToken: text,
  payload: Type.Optional(Payload),
  response: Type.Optional(Type.Unknown({ description: 'What the provider said.' })),
  messageId: Type.Optional(Id),
  messageSentAtMS: Type.Optional(Ms),
  reactionId: Type.Optional(Id),
  sender: text,
  receiver: text,
  receiverType: Type.Optional(ReceiverType),
  reactionSender: text,
  reactionReceiver: text,
  member: text,
  processingStartedAtMS: Type.Optional(Ms),
  processingEndedAtMS: Type.Optional(Ms),
  totalProcessingTimeInMS: integer,
})
export type NotificationLog = Static<typeof NotificationLog>

const LogEdge = Type.Object({
  affix: OneOf('append', 'prepend'),
  logId: Type.String(),
  messageId: Type.Optional(Id),
})

const uid = Type.Optional(Identifier('Uid.'))

const LogQuery = Type.Object({
  uid,
  messageId: Type.Optional(Id),
  reactionId: Type.Optional(Id),
  from: Type.Optional(Instant),
  to: Type.Optional(Instant),
  messageCategory: Type.Optional(OneOf('message', 'interactive')),
  messageType: Type.Optional(Type.String({ maxLength: 100 })),
  trigger: Type.Optional(NotificationTrigger),
  sender: uid,
  reactionSender: uid,
  receiver: Type.Optional(Identifier('Uid or guid.')),
  receiverType: Type.Optional(ReceiverType),
  reactionReceiver: uid,
  member: uid,
  channel: Type.Optional(Channel),
  provider: Type.Optional(Carrier),
  notificationTriggered: Type.Optional(Type.Boolean()),
  reason: Type.Optional(NotificationReason),
  success: Type.Optional(Type.Boolean()),
  affix: Type.Optional(OneOf('prepend', 'append')),
  logId: Type.Optional(
    Type.String({
      pattern: '^[1-9]\\d{0,14}$',
      'x-objection': 'Use the id of an entry of the log, which has digits only',
    }),
  ),
  limit: withDefault(Type.Integer({ minimum: 1, maximum: 100 }), 20),
})
export type LogQuery = Static<typeof LogQuery>

const path = '/notifications/v1/logs'

export const notificationLogs = operations({
  listNotificationLogs: {
    method: 'GET',
    path,
    summary: 'List what became of notifications: the newest, or those before or after one',
    description:
      'Lists what became of notifications, if the log is switched on: the newest entries, or ' +
      'those before or after `logId`. Entries can be read for 14 days. All filters can be ' +
      'combined.',
    tag: 'Notifications',
    effect: 'read',
    requires: 'fullAccess',
    query: LogQuery,
    response: Type.Object({
      data: Type.Array(NotificationLog),
      meta: Type.Object({
        current: Type.Object({ limit: Type.Integer(), count: Type.Integer() }),
        previous: Type.Optional(LogEdge),
        next: Type.Optional(LogEdge),
      }),
    }),
    errors: [],
  },
  switchNotificationLogs: {
    method: 'PUT',
    path,
    summary: 'Have the log kept for seven days from now, or not any more',
    description: 'Switches the log of notifications on for seven days, or off.',
    tag: 'Notifications',
    effect: 'write',
    requires: 'fullAccess',
    audit: true,
    body: Type.Object({ enabled: Type.Boolean() }),
    response: Data(
      Type.Object({
        enabled: Type.Boolean(),
        enabledUntil: Type.Optional(Timestamp),
        readableUntil: Type.Optional(Timestamp),
      }),
    ),
    errors: [],
  },
})
