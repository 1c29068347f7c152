import { Type } from 'typebox'
import { Data, Outcome } from '../envelope.ts'
import { operations } from '../operation.ts'
import { MessageId } from './messages.ts'

export const interactions = operations({
  markInteracted: {
    method: 'PATCH',
    path: '/messages/:id/interacted',
    summary: 'Note which elements of an interactive message a user has used',
    description:
      'Notes which buttons and fields of an interactive message the acting user has used. ' +
      'Elements that the message does not have are refused, and so is its sender unless the ' +
      'message allows it.',
    tag: 'Messages',
    effect: 'write',
    requires: 'fullAccess',
    onBehalfOf: 'required',
    device: 'acting',
    params: Type.Object({ id: MessageId }),
    body: Type.Object({
      interactions: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: 100 }),
      ),
    }),
    response: Data(Outcome),
    errors: [
      'ERR_UID_NOT_FOUND',
      'ERR_MESSAGE_ID_NOT_FOUND',
      'ERR_MESSAGE_NO_ACCESS',
      'ERR_MESSAGE_ACTION_NOT_ALLOWED',
      'ERR_BLOCKED_RECEIVER',
      'ERR_BLOCKED_SENDER',
    ],
  },
})
