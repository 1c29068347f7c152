import { Type } from 'typebox'
import { Data } from '../envelope.ts'
import { operations } from '../operation.ts'
import { ofUser } from './preferences.ts'

const path = '/notifications/v1/preferences/timezone'

export const Timezone = Type.String({
  maxLength: 100,
  pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$',
  'x-objection': 'Use the name of a time zone, such as Europe/Berlin',
  description: 'A name of the IANA time zone database.',
})

export const timezones = operations({
  getTimezone: {
    ...ofUser,
    method: 'GET',
    path,
    summary: 'Get the time zone in which the schedule of a user is read',
    description:
      "Answers the time zone in which the times of a user's notification schedule are read.",
    effect: 'read',
    response: Data(Type.Object({ timezone: Type.String() })),
    errors: ['ERR_UID_NOT_FOUND', 'ERR_PERMISSION_DENIED'],
  },
  setTimezone: {
    ...ofUser,
    method: 'PATCH',
    path,
    summary: 'Set the time zone of a user',
    description:
      "Sets the time zone in which the times of a user's notification schedule are read. " +
      'Refused when there is no such time zone.',
    effect: 'write',
    body: Type.Object({ timezone: Timezone }),
    response: Data(Type.Object({ timezone: Type.String() })),
    errors: ['ERR_UID_NOT_FOUND', 'ERR_PERMISSION_DENIED'],
  },
})
