import { type Static, Type } from 'typebox'
import { Message } from '../conversations/entries.ts'
import { Data } from '../envelope.ts'
import { operations } from '../operation.ts'
import { contentErrors, MessageId, NewMessage } from './messages.ts'
import { Window, windowLimit, windowPlace } from './windows.ts'

/** A message with replies. */
export const Thread = Type.Object({
  ...Message.properties,
  replyCount: Type.Integer(),
  unreadRepliesCount: Type.Optional(
    Type.Integer({ description: 'Of the acting user; counted up to 1000.' }),
  ),
})
export type Thread = Static<typeof Thread>

const one = Type.Object({ id: MessageId })

const parentErrors = [
  'ERR_UID_NOT_FOUND',
  'ERR_MESSAGE_ID_NOT_FOUND',
  'ERR_MESSAGE_NO_ACCESS',
] as const

const subscription = {
  path: '/messages/:id/thread/subscription',
  tag: 'Messages',
  effect: 'write',
  requires: 'fullAccess',
  onBehalfOf: 'required',
  device: 'acting',
  params: one,
  response: Data(Message),
} as const

export const threads = operations({
  replyToMessage: {
    method: 'POST',
    path: '/messages/:id/thread',
    summary: 'Reply to a message, in its thread',
    description:
      'Sends a message into the thread of another. The receiver is that of the parent message, ' +
      'and need not be sent. Refused for a message that is itself a reply, and for action ' +
      'messages.',
    tag: 'Messages',
    effect: 'append',
    requires: 'fullAccess',
    onBehalfOf: 'required',
    device: 'acting',
    feature: 'createMessageThread',
    params: one,
    body: NewMessage,
    response: Data(Message),
    errors: [
      ...contentErrors,
      ...parentErrors,
      'ERR_PERMISSION_DENIED',
      'ERR_BLOCKED_RECEIVER',
      'ERR_BLOCKED_SENDER',
      'ERR_BLOCKED_BY_WEBHOOK',
      'ERR_WRONG_MESSAGE_THREAD',
      'ERR_WRONG_MESSAGE_THREAD_CATEGORY',
      'ERR_MESSAGE_THREAD_NESTING',
    ],
  },
  listThreads: {
    method: 'GET',
    path: '/threads',
    summary: 'List threads: of the app, or those that a user follows',
    description:
      'Lists messages that have replies: for an acting user the threads they follow, with the ' +
      'number of unread replies; otherwise all of the app. The thread with the newest reply ' +
      'comes first.',
    tag: 'Messages',
    effect: 'read',
    requires: 'fullAccess',
    onBehalfOf: 'optional',
    device: 'acting',
    feature: 'listThreadedMessages',
    query: Type.Object({ limit: windowLimit(10), ...windowPlace }),
    response: Window(Thread),
    errors: ['ERR_UID_NOT_FOUND', 'ERR_PERMISSION_DENIED'],
  },
  subscribeToThread: {
    ...subscription,
    method: 'POST',
    summary: 'Follow the replies to a message',
    description:
      'Lets the acting user follow a thread, which puts it into their list of threads. Who ' +
      'replies follows the thread without this call.',
    errors: [...parentErrors, 'ERR_WRONG_MESSAGE_THREAD_CATEGORY', 'ERR_MESSAGE_THREAD_NESTING'],
  },
  unsubscribeFromThread: {
    ...subscription,
    method: 'DELETE',
    summary: 'Follow the replies to a message no longer',
    description: 'Lets the acting user follow a thread no longer: it leaves their list of threads.',
    errors: parentErrors,
  },
})
