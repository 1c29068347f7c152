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
    effect: 'write',
    audit: true,
    feature: 'logout',
    response: Data(Outcome),
    errors: ['ERR_PERMISSION_DENIED'],
  },
})
