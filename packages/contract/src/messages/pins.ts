import { Type } from 'typebox'
import { Message } from '../conversations/entries.ts'
import { Data } from '../envelope.ts'
import { operations } from '../operation.ts'
import { MessageId } from './messages.ts'

const pin = {
  path: '/messages/:id/pin',
  tag: 'Messages',
  effect: 'write',
  requires: 'fullAccess',
  onBehalfOf: 'optional',
  device: 'acting',
  params: Type.Object({ id: MessageId }),
  response: Data(Message),
} as const

const errors = [
  'ERR_UID_NOT_FOUND',
  'ERR_MESSAGE_ID_NOT_FOUND',
  'ERR_MESSAGE_NO_ACCESS',
  'ERR_MESSAGE_ACTION_NOT_ALLOWED',
  'ERR_GROUP_NO_MODERATOR_SCOPE',
] as const

export const pins = operations({
  pinMessage: {
    ...pin,
    method: 'POST',
    summary: 'Pin a message for all who see it',
    description:
      'Pins a message for everyone who sees it, up to 100 in a conversation. In a group the ' +
      'acting user must be at least a moderator. A message that is pinned already stays as it ' +
      'is.',
    errors: [
      ...errors,
      'ERR_PINNED_MESSAGES_LIMIT_EXCEEDED',
      'ERR_BLOCKED_RECEIVER',
      'ERR_BLOCKED_SENDER',
    ],
  },
  unpinMessage: {
    ...pin,
    method: 'DELETE',
    summary: 'Unpin a message',
    description:
      'Takes the pin off a message. In a group the acting user must be at least a moderator.',
    errors,
  },
})
