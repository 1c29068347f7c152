import { type Static, Type } from 'typebox'
import { Message } from '../conversations/entries.ts'
import { Data, Timestamp } from '../envelope.ts'
import { operations } from '../operation.ts'
import { User } from '../users/users.ts'
import { MessageId } from './messages.ts'
import { Window, windowLimit, windowPlace } from './windows.ts'

/** An emoji, or a word. */
const Kind = Type.String({
  minLength: 1,
  maxLength: 45,
  pattern: '^\\P{Cc}+$',
  'x-objection': 'Use an emoji or a word, without control characters',
})

export const Reaction = Type.Object({
  id: Type.String({ description: 'Digits; grows with time.' }),
  messageId: Type.String(),
  reaction: Type.String(),
  uid: Type.String(),
  reactedAt: Timestamp,
  reactedBy: User,
})
export type Reaction = Static<typeof Reaction>

const one = Type.Object({ id: MessageId })
const ofKind = Type.Object({ id: MessageId, reaction: Kind })
const query = Type.Object({ limit: windowLimit(100), ...windowPlace })

const removeErrors = [
  'ERR_UID_NOT_FOUND',
  'ERR_MESSAGE_ID_NOT_FOUND',
  'ERR_MESSAGE_NO_ACCESS',
  'ERR_MESSAGE_ACTION_NOT_ALLOWED',
] as const
const addErrors = [
  ...removeErrors,
  'ERR_PERMISSION_DENIED',
  'ERR_BLOCKED_RECEIVER',
  'ERR_BLOCKED_SENDER',
  'ERR_BLOCKED_BY_RULE',
] as const

const change = {
  tag: 'Messages',
  effect: 'write',
  requires: 'fullAccess',
  onBehalfOf: 'required',
  device: 'acting',
  response: Data(Message),
} as const

const list = {
  tag: 'Messages',
  effect: 'read',
  requires: 'fullAccess',
  onBehalfOf: 'optional',
  device: 'acting',
  query,
  response: Window(Reaction),
  errors: [
    'ERR_UID_NOT_FOUND',
    'ERR_MESSAGE_ID_NOT_FOUND',
    'ERR_MESSAGE_NO_ACCESS',
    'ERR_PERMISSION_DENIED',
  ],
} as const

export const reactions = operations({
  listReactions: {
    ...list,
    method: 'GET',
    path: '/messages/:id/reactions',
    summary: 'List the reactions to a message',
    description:
      'Lists the reactions to a message, with who reacted, in the order in which they came.',
    params: one,
  },
  listReactionsOfKind: {
    ...list,
    method: 'GET',
    path: '/messages/:id/reactions/:reaction',
    summary: 'List who reacted to a message in one way',
    description: 'Lists who reacted to a message with one emoji or word.',
    params: ofKind,
  },
  addReaction: {
    ...change,
    method: 'POST',
    path: '/messages/:id/reactions/:reaction',
    summary: 'React to a message',
    description:
      'Adds a reaction of the acting user to a message; the same one again changes nothing. A ' +
      'message has at most 25 different reactions, and a reaction that a rule would block is ' +
      'refused.',
    params: ofKind,
    errors: addErrors,
  },
  addReactionInBody: {
    ...change,
    method: 'POST',
    path: '/messages/:id/reactions',
    summary: 'React to a message, with the reaction in the body',
    description:
      'Does what `addReaction` does, with the reaction in the body: for emoji that are hard to ' +
      'put into an address.',
    params: one,
    body: Type.Object({ reaction: Kind }),
    errors: addErrors,
  },
  removeReaction: {
    ...change,
    method: 'DELETE',
    path: '/messages/:id/reactions/:reaction',
    summary: 'Take a reaction back',
    description: 'Takes back a reaction of the acting user. One that is not there is no error.',
    params: ofKind,
    errors: removeErrors,
  },
})
