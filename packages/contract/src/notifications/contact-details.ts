import { type Static, Type } from 'typebox'
import { Data, Outcome } from '../envelope.ts'
import { operations } from '../operation.ts'

const ContactDetails = Type.Object({
  email: Type.Optional(
    Type.String({
      maxLength: 254,
      pattern: '^[^@\\s]+@[^@\\s]+$',
      'x-objection': 'Use an e-mail address, such as ann@example.com',
    }),
  ),
  phno: Type.Optional(
    Type.String({
      pattern: '^\\+?[0-9 ()-]{5,25}$',
      'x-objection': 'Use a telephone number with the code of the country, such as +49 30 123456',
      description: 'With the code of the country.',
    }),
  ),
})
export type ContactDetails = Static<typeof ContactDetails>

const path = '/notifications/v1/contact-details'
const shared = {
  path,
  tag: 'Notifications',
  requires: 'fullAccess',
  onBehalfOf: 'required',
  device: 'acting',
  errors: ['ERR_UID_NOT_FOUND'],
} as const

export const contactDetails = operations({
  getContactDetails: {
    ...shared,
    method: 'GET',
    summary: 'Get where a user can be reached by e-mail and SMS',
    effect: 'read',
    response: Data(ContactDetails),
  },
  updateContactDetails: {
    ...shared,
    method: 'PATCH',
    summary: 'Set where a user can be reached by e-mail and SMS',
    effect: 'write',
    body: ContactDetails,
    response: Data(ContactDetails),
    errors: ['ERR_UID_NOT_FOUND', 'ERR_PERMISSION_DENIED'],
  },
  deleteContactDetails: {
    ...shared,
    method: 'DELETE',
    summary: 'Forget where a user can be reached by e-mail and SMS',
    effect: 'write',
    response: Data(Outcome),
  },
})
