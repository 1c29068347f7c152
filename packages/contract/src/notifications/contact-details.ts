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
    description:
      'Answers the e-mail address and telephone number at which the acting user can be ' +
      'notified.',
    effect: 'read',
    response: Data(ContactDetails),
  },
  updateContactDetails: {
    ...shared,
    method: 'PATCH',
    summary: 'Set where a user can be reached by e-mail and SMS',
    description:
      'Sets the e-mail address or telephone number of the acting user; what is not sent stays ' +
      'as it is. The app may forbid devices to set it.',
    effect: 'write',
    body: ContactDetails,
    response: Data(ContactDetails),
    errors: ['ERR_UID_NOT_FOUND', 'ERR_PERMISSION_DENIED'],
  },
  deleteContactDetails: {
    ...shared,
    method: 'DELETE',
    summary: 'Forget where a user can be reached by e-mail and SMS',
    description: 'Deletes the e-mail address and telephone number of the acting user.',
    effect: 'write',
    response: Data(Outcome),
  },
})
