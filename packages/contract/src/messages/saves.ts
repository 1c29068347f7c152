import { Type } from 'typebox'
import { Message } from '../conversations/entries.ts'
import { Data, Timestamp } from '../envelope.ts'
import { operations } from '../operation.ts'
import { MessageId } from './messages.ts'

const save = {
  path: '/messages/:id/save',
  tag: 'Messages',
  effect: 'write',
  requires: 'fullAccess',
  onBehalfOf: 'required',
  device: 'acting',
  params: Type.Object({ id: MessageId }),
} as const

const errors = ['ERR_UID_NOT_FOUND', 'ERR_MESSAGE_ID_NOT_FOUND', 'ERR_MESSAGE_NO_ACCESS'] as const

export const saves = operations({
  saveMessage: {
    ...save,
    method: 'POST',
    summary: 'Save a message for oneself',
    description:
      'Saves a message for the acting user alone, up to 100. A message that is saved already ' +
      'stays as it is.',
    response: Data(Type.Object({ ...Message.properties, savedAt: Timestamp })),
    errors: [...errors, 'ERR_MESSAGE_ACTION_NOT_ALLOWED', 'ERR_SAVED_MESSAGES_LIMIT_EXCEEDED'],
  },
  unsaveMessage: {
    ...save,
    method: 'DELETE',
    summary: 'Save a message no longer',
    description: 'Removes a message from those that the acting user has saved.',
    response: Data(Message),
    errors,
  },
})
