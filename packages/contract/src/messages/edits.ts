import { Type } from 'typebox'
import { Timestamp } from '../envelope.ts'
import { operations } from '../operation.ts'
import { MessageId } from './messages.ts'
import { Window, windowLimit, windowPlace } from './windows.ts'

const Edit = Type.Object({
  id: Type.String({ description: 'Digits; grows with time.' }),
  messageId: Type.String(),
  data: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    description: 'What the message said until then.',
  }),
  editedAt: Timestamp,
})

export const edits = operations({
  listEdits: {
    method: 'GET',
    path: '/messages/:id/edits',
    summary: 'List what a message said before it was edited; for the app itself',
    description:
      'Lists what a message said before each edit, newest first. Only the server of the app may ' +
      'see it: refused with `onBehalfOf`.',
    tag: 'Messages',
    effect: 'read',
    requires: 'fullAccess',
    onBehalfOf: 'optional',
    params: Type.Object({ id: MessageId }),
    query: Type.Object({ limit: windowLimit(100), ...windowPlace }),
    response: Window(Edit),
    errors: ['ERR_UID_NOT_FOUND', 'ERR_PERMISSION_DENIED', 'ERR_MESSAGE_ID_NOT_FOUND'],
  },
})
