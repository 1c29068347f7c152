import { Type } from 'typebox'
import { CursorPage, cursorQuery, Data, ItemOutcome, OneOf, searchKey } from '../envelope.ts'
import { operations, withDefault } from '../operation.ts'
import { Uid, User } from './users.ts'

const params = Type.Object({ uid: Uid })
const body = Type.Object({ blockedUids: Type.Array(Uid, { minItems: 1, maxItems: 25 }) })
const response = Data(Type.Record(Type.String(), ItemOutcome))

export const blockedUsers = operations({
  blockUsers: {
    method: 'POST',
    path: '/users/:uid/blockedusers',
    summary: 'Block users',
    description:
      'Blocks up to 25 users for a user: neither of the two can write to the other any more. ' +
      'The answer says what became of each; an unknown user and the user themselves are refused ' +
      'alone, inside the 200.',
    tag: 'Blocked Users',
    effect: 'write',
    requires: 'fullAccess',
    device: 'own',
    feature: 'blockUser',
    params,
    body,
    response,
    errors: ['ERR_UID_NOT_FOUND', 'ERR_PERMISSION_DENIED'],
  },
  unblockUsers: {
    method: 'DELETE',
    path: '/users/:uid/blockedusers',
    summary: 'Unblock users',
    description: 'Ends the blocking of up to 25 users. The answer says what became of each.',
    tag: 'Blocked Users',
    effect: 'write',
    requires: 'fullAccess',
    device: 'own',
    feature: 'unblockUser',
    params,
    body,
    response,
    errors: ['ERR_UID_NOT_FOUND', 'ERR_PERMISSION_DENIED'],
  },
  listBlockedUsers: {
    method: 'GET',
    path: '/users/:uid/blockedusers',
    summary: 'List blocked users',
    description:
      'Lists whom a user has blocked; with `direction`, by whom they are blocked, or both.',
    tag: 'Blocked Users',
    effect: 'read',
    requires: 'fullAccess',
    device: 'own',
    feature: 'getBlockedUsers',
    params,
    query: Type.Object({
      direction: withDefault(OneOf('blockedByMe', 'hasBlockedMe', 'both'), 'blockedByMe'),
      searchKey,
      ...cursorQuery,
    }),
    response: CursorPage(User),
    errors: ['ERR_UID_NOT_FOUND', 'ERR_PERMISSION_DENIED'],
  },
})
