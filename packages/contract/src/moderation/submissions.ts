import { type Static, Type } from 'typebox'
import { Message } from '../conversations/entries.ts'
import { Data, Identifier, OneOf, Outcome, Tags, UnixTime } from '../envelope.ts'
import { GroupDetails, Guid } from '../groups/groups.ts'
import { Content, MessageId, spokenErrors } from '../messages/messages.ts'
import { Window, windowLimit, windowPlace } from '../messages/windows.ts'
import { operations, withDefault } from '../operation.ts'
import { Uid, UserDetails } from '../users/users.ts'

const category = OneOf('message', 'custom')
const status = OneOf('approved', 'pending', 'disapproved')
export type SubmissionStatus = Static<typeof status>

/** A message that lives elsewhere, and is only moderated here. */
const Submission = Type.Object({
  muid: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Repeats are one message.' }),
  ),
  category: withDefault(category, 'message'),
  type: withDefault(Type.String({ minLength: 1, maxLength: 100 }), 'text'),
  sender: Uid,
  receiver: Identifier('Uid or guid of the receiver.'),
  receiverType: OneOf('user', 'group'),
  data: Type.Optional(Content),
  senderUserDetails: Type.Optional(UserDetails),
  receiverUserDetails: Type.Optional(UserDetails),
  receiverGroupDetails: Type.Optional(GroupDetails),
  tags: Type.Optional(Tags),
  sentAt: Type.Optional({ ...UnixTime, description: 'When it was said; now, if not given.' }),
})
export type Submission = Static<typeof Submission>

const query = Type.Object({
  limit: windowLimit(100),
  ...windowPlace,
  sender: Type.Optional(Uid),
  receiverUID: Type.Optional(Uid),
  receiverGUID: Type.Optional(Guid),
  category: Type.Optional(category),
  type: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  moderationStatus: Type.Optional(status),
})
export type SubmissionQuery = Static<typeof query>

const params = Type.Object({ id: MessageId })

export const submissions = operations({
  submitMessage: {
    method: 'POST',
    path: '/moderation/messages',
    summary: 'Have a message moderated that lives elsewhere',
    description:
      'Has a message moderated that is stored elsewhere: it is checked by the rules of the app ' +
      'and appears in no conversation. The check goes on in the background; read the result ' +
      'with `getSubmission` or by webhook. Sender and receiver are created from the details, if ' +
      'they are sent; otherwise they must exist. Submissions are kept for 90 days.',
    tag: 'Moderation',
    effect: 'write',
    requires: 'fullAccess',
    body: Submission,
    response: Data(Message),
    errors: [
      ...spokenErrors,
      'ERR_INVALID_MESSAGE_TYPE',
      'ERR_UID_NOT_FOUND',
      'ERR_GUID_NOT_FOUND',
      'ERR_EMPTY_GROUP_PASS',
    ],
  },
  listSubmissions: {
    method: 'GET',
    path: '/moderation/messages',
    summary: 'List messages that were submitted, in the order they came',
    description:
      'Lists messages that were submitted for moderation, in the order in which they came.',
    tag: 'Moderation',
    effect: 'read',
    requires: 'fullAccess',
    query,
    response: Window(Message),
    errors: [],
  },
  getSubmission: {
    method: 'GET',
    path: '/moderation/messages/:id',
    summary: 'Get a message that was submitted, and what became of it',
    description:
      'Answers a message that was submitted, with the result of its moderation: `pending`, ' +
      '`approved` or `disapproved`.',
    tag: 'Moderation',
    effect: 'read',
    requires: 'fullAccess',
    params,
    response: Data(Message),
    errors: ['ERR_MESSAGE_ID_NOT_FOUND'],
  },
  updateSubmission: {
    method: 'PUT',
    path: '/moderation/messages/:id',
    summary: 'Have a message moderated again, with what it says now',
    description: 'Replaces what a submitted message says, and has it moderated again.',
    tag: 'Moderation',
    effect: 'write',
    requires: 'fullAccess',
    params,
    body: Type.Object({ data: Type.Optional(Content) }),
    response: Data(Message),
    errors: [...spokenErrors, 'ERR_MESSAGE_ID_NOT_FOUND'],
  },
  deleteSubmission: {
    method: 'DELETE',
    path: '/moderation/messages/:id',
    summary: 'Delete a message that was submitted',
    description:
      'Deletes a message that was submitted, and its case in the queues of the moderators.',
    tag: 'Moderation',
    effect: 'write',
    requires: 'fullAccess',
    params,
    response: Data(Outcome),
    errors: ['ERR_MESSAGE_ID_NOT_FOUND'],
  },
})
