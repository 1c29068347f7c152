import { Data, Outcome } from '../envelope.ts'
import { operations } from '../operation.ts'
import { ownProfile, User } from './users.ts'

/** What a device says about its own user. */
const mine = { tag: 'Me', requires: 'authToken', device: 'acting' } as const

export const me = operations({
  getMe: {
    ...mine,
    method: 'GET',
    path: '/me',
    summary: 'Get oneself',
    description: 'Answers the user to whom the auth token of the call belongs.',
    effect: 'read',
    feature: 'getMyDetails',
    response: Data(User),
    errors: ['ERR_PERMISSION_DENIED'],
  },
  updateMe: {
    ...mine,
    method: 'PUT',
    path: '/me',
    summary: 'Update oneself',
    description:
      'Changes the profile of the user to whom the auth token belongs: anything but the role. ' +
      '`unset` empties fields.',
    effect: 'write',
    body: ownProfile,
    response: Data(User),
    errors: ['ERR_PERMISSION_DENIED'],
  },
  deleteMyAuthToken: {
    ...mine,
    method: 'DELETE',
    path: '/me/auth_token',
    summary: 'Log out: the auth token of this call is of no use any more',
    description:
      'Ends the auth token of this call, which logs the device out. Other devices of the user ' +
      'stay logged in.',
    effect: 'write',
    audit: true,
    feature: 'logout',
    response: Data(Outcome),
    errors: ['ERR_PERMISSION_DENIED'],
  },
})
