import { type Static, Type } from 'typebox'
import { Attachment, Message } from '../conversations/entries.ts'
import { Data, Identifier, Metadata, OneOf, Tags } from '../envelope.ts'
import { operations, withDefault } from '../operation.ts'
import { Uid } from '../users/users.ts'

export const MessageId = Type.String({
  pattern: '^[1-9]\\d{0,15}$',
  'x-objection': 'Use the id of a message, which has digits only',
  description: 'Digits.',
})

/** Uid or guid, as `receiverType` says. */
const Receiver = Identifier('Uid or guid of the receiver.')

const Anything = Type.Unsafe<Record<string, unknown>>({ type: 'object' })
const optionalText = Type.Optional(Type.String())

/** Buttons and fields of an interactive message. */
const Element = Type.Object({
  elementId: optionalText,
  elementType: optionalText,
  label: optionalText,
  defaultValue: optionalText,
  placeholder: Type.Optional(Anything),
  optional: Type.Optional(Type.Boolean()),
  maxLines: Type.Optional(Type.Integer()),
  buttonText: optionalText,
  disableAfterInteracted: Type.Optional(Type.Boolean()),
  action: Type.Optional(
    Type.Object({
      actionType: optionalText,
      url: optionalText,
      method: optionalText,
      dataKey: optionalText,
      headers: Type.Optional(Anything),
      payload: Type.Optional(Anything),
    }),
  ),
})

/** Forms, cards and schedulers; a custom one says what it likes. */
const InteractiveData = Type.Object({
  text: optionalText,
  formFields: Type.Optional(Type.Array(Element)),
  cardActions: Type.Optional(Type.Array(Element)),
  submitElement: Type.Optional(Element),
  title: optionalText,
  avatarUrl: optionalText,
  bufferTime: Type.Optional(Type.Integer()),
  duration: Type.Optional(Type.Integer()),
  icsFileUrl: optionalText,
  timezoneCode: optionalText,
  goalCompletionText: optionalText,
  dateRangeStart: optionalText,
  dateRangeEnd: optionalText,
  scheduleElement: Type.Optional(Element),
})

/**
 * What a message says. What it must be depends on category and type, so the rules check it, each
 * with an error of its own; the fields are here for readers.
 */
export const Content = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  'x-maxBytes': 10_240,
  'x-documents': {
    text: Type.String(),
    metadata: Metadata,
    attachments: Type.Array(Attachment),
    customData: Anything,
    interactiveData: InteractiveData,
    interactionGoal: Type.Object({
      type: Type.Optional(OneOf('anyAction', 'anyOf', 'allOf', 'oneOf', 'none')),
      elementIds: Type.Optional(Type.Array(Type.String())),
    }),
    allowSenderInteraction: Type.Boolean(),
    data: Anything,
  },
})

const Receivers = Type.Array(Receiver, { maxItems: 25 })

const OtherMessage = Type.Union([
  MessageId,
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
])

const content = {
  muid: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Repeats are one message.' }),
  ),
  /** `call`: whoever runs an app's calls says here what became of one. */
  category: withDefault(OneOf('message', 'custom', 'interactive', 'call'), 'message'),
  type: withDefault(Type.String({ minLength: 1, maxLength: 100 }), 'text'),
  data: Type.Optional(Content),
  quotedMessageId: Type.Optional(OtherMessage),
  tags: Type.Optional(Tags),
}

export const NewMessage = Type.Object({
  receiver: Type.Optional(Receiver),
  receiverType: Type.Optional(OneOf('user', 'group')),
  multipleReceivers: Type.Optional(
    Type.Object({ uids: Type.Optional(Receivers), guids: Type.Optional(Receivers) }),
  ),
  ...content,
})
export type NewMessage = Static<typeof NewMessage>

const NotSent = Type.Object({
  success: Type.Literal(false),
  error: Type.Object({ code: Type.String(), message: Type.String(), devMessage: Type.String() }),
})
const Sent = Type.Record(Type.String(), Type.Union([Message, NotSent]))

/** One message; or, for several receivers, one message or failure each. */
const SendAnswer = Data(
  Type.Union([Message, Type.Object({ uids: Type.Optional(Sent), guids: Type.Optional(Sent) })]),
)

/** What may be wrong with what a message says, be it plain or custom. */
export const spokenErrors = [
  'ERR_EMPTY_MESSAGE_TEXT',
  'ERR_INVALID_MESSAGE_TEXT',
  'ERR_EMPTY_MESSAGE_FILE',
  'ERR_INVALID_MEDIA_MESSAGE',
  'ERR_EMPTY_CUSTOM_DATA',
  'ERR_INVALID_CUSTOM_DATA',
  'ERR_INVALID_METADATA',
] as const
const fileErrors = ['ERR_UPLOAD_NOT_FOUND', 'ERR_UPLOAD_NOT_READY'] as const
const dataErrors = [...spokenErrors, ...fileErrors, 'ERR_INVALID_MESSAGE_DATA'] as const
export const contentErrors = [...dataErrors, 'ERR_INVALID_MESSAGE_TYPE'] as const

/** What may stand between sender and receiver. */
const deliveryErrors = [
  'ERR_UID_NOT_FOUND',
  'ERR_GUID_NOT_FOUND',
  'ERR_PERMISSION_DENIED',
  'ERR_BLOCKED_RECEIVER',
  'ERR_BLOCKED_SENDER',
  'ERR_BLOCKED_BY_WEBHOOK',
  'ERR_GROUP_NOT_JOINED',
  'ERR_BANNED_GROUPMEMBER',
] as const

const one = Type.Object({ id: MessageId })

export const messages = operations({
  sendMessage: {
    method: 'POST',
    path: '/messages',
    summary: 'Send a message',
    description:
      'Sends a message to a user or a group, or to up to 25 of each with `multipleReceivers`; ' +
      'then the answer has a message or an error for each. The same `muid` sent again is the ' +
      'same message, so a call can be repeated safely. Files are named by the `uploadId` of an ' +
      'upload in `data.attachments`, or come with it in a form (`multipart/form-data`) as `file` or ' +
      '`files[]`, as large as one file may be all together. A message that a rule blocks is answered ' +
      'with `data.moderation.status` `disapproved` and delivered to nobody. Refused between ' +
      'users of whom one has blocked the other, and in groups that the sender is not in.',
    tag: 'Messages',
    effect: 'append',
    requires: 'fullAccess',
    onBehalfOf: 'optional',
    device: 'acting',
    feature: 'createMessage',
    body: Type.Object({
      ...NewMessage.properties,
      parentId: Type.Optional({
        ...OtherMessage,
        description: 'A reply to this message, as `POST /messages/{id}/thread` makes one.',
      }),
    }),
    takesFiles: true,
    response: SendAnswer,
    errors: [
      ...contentErrors,
      ...deliveryErrors,
      'ERR_FILES_NOT_CONFIGURED',
      'ERR_FILE_TOO_LARGE',
      'ERR_FILE_QUOTA_EXCEEDED',
      'ERR_MESSAGE_ID_NOT_FOUND',
      'ERR_MESSAGE_NO_ACCESS',
      'ERR_WRONG_MESSAGE_THREAD',
      'ERR_WRONG_MESSAGE_THREAD_CATEGORY',
      'ERR_MESSAGE_THREAD_NESTING',
    ],
  },
  sendBotMessage: {
    method: 'POST',
    path: '/bots/:uid/messages',
    summary: 'Send a message as a bot',
    description:
      'Sends a message as a bot, which is a user that only the server of the app speaks for. ' +
      'The receivers are as in `sendMessage`; a bot need not be a member of the group.',
    tag: 'Messages',
    effect: 'append',
    requires: 'fullAccess',
    params: Type.Object({ uid: Uid }),
    body: NewMessage,
    response: SendAnswer,
    errors: [
      ...contentErrors,
      'ERR_UID_NOT_FOUND',
      'ERR_GUID_NOT_FOUND',
      'ERR_MESSAGE_ID_NOT_FOUND',
      'ERR_BLOCKED_BY_WEBHOOK',
    ],
  },
  getMessage: {
    method: 'GET',
    path: '/messages/:id',
    summary: 'Get a message',
    description: 'Answers one message. An acting user must take part in its conversation.',
    tag: 'Messages',
    effect: 'read',
    requires: 'fullAccess',
    onBehalfOf: 'optional',
    device: 'acting',
    feature: 'getMessage',
    params: one,
    response: Data(Message),
    errors: [
      'ERR_UID_NOT_FOUND',
      'ERR_MESSAGE_ID_NOT_FOUND',
      'ERR_MESSAGE_NO_ACCESS',
      'ERR_PERMISSION_DENIED',
    ],
  },
  editMessage: {
    method: 'PUT',
    path: '/messages/:id',
    summary: 'Edit a message',
    description:
      'Changes the text, the data or the tags of a message. The answer is the action message ' +
      'that tells the others of it; the edited message is in `data.entities.on`. An acting user ' +
      'must be the sender or, in a group, a moderator or admin, and the app may set a time ' +
      'after which users cannot edit.',
    tag: 'Messages',
    effect: 'write',
    requires: 'fullAccess',
    onBehalfOf: 'optional',
    device: 'acting',
    feature: 'updateMessage',
    params: one,
    body: Type.Object({ data: Type.Optional(Content), tags: Type.Optional(Tags) }),
    response: Data(Message),
    errors: [
      ...dataErrors,
      'ERR_UID_NOT_FOUND',
      'ERR_MESSAGE_ID_NOT_FOUND',
      'ERR_MESSAGE_NO_ACCESS',
      'ERR_MESSAGE_NOT_A_SENDER',
      'ERR_MESSAGE_ACTION_NOT_ALLOWED',
      'ERR_EDIT_WINDOW_CLOSED',
      'ERR_PERMISSION_DENIED',
      'ERR_BLOCKED_RECEIVER',
      'ERR_BLOCKED_SENDER',
      'ERR_BLOCKED_BY_WEBHOOK',
    ],
  },
  deleteMessage: {
    method: 'DELETE',
    path: '/messages/:id',
    summary: 'Delete a message',
    description:
      'Deletes a message for everyone; its place stays, marked as deleted. `permanent` also ' +
      'deletes what it said, which is kept for the app otherwise. An acting user must be the ' +
      'sender or, in a group, a moderator or admin. The answer is the action message that tells ' +
      'the others of it.',
    tag: 'Messages',
    effect: 'write',
    requires: 'fullAccess',
    onBehalfOf: 'optional',
    device: 'acting',
    feature: 'deleteMessage',
    params: one,
    body: Type.Object({ permanent: withDefault(Type.Boolean(), false) }),
    response: Data(Message),
    errors: [
      'ERR_UID_NOT_FOUND',
      'ERR_MESSAGE_ID_NOT_FOUND',
      'ERR_MESSAGE_NO_ACCESS',
      'ERR_MESSAGE_NOT_A_SENDER',
      'ERR_MESSAGE_ACTION_NOT_ALLOWED',
      'ERR_PERMISSION_DENIED',
    ],
  },
})
