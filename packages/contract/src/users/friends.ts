import { Type } from 'typebox'
import { CursorPage, cursorQuery, Data, ItemOutcome, Outcome, searchKey } from '../envelope.ts'
import { operations } from '../operation.ts'
import { Uid, User } from './users.ts'

const params = Type.Object({ uid: Uid })
const Uids = Type.Array(Uid, { minItems: 1, maxItems: 25 })

export const friends = operations({
  addFriends: {
    method: 'POST',
    path: '/users/:uid/friends',
    summary: 'Add friends',
    tag: 'Friends',
    effect: 'write',
    requires: 'fullAccess',
    params,
    body: Type.Object({ accepted: Uids }),
    response: Data(Type.Object({ accepted: Type.Record(Type.String(), ItemOutcome) })),
    errors: ['ERR_UID_NOT_FOUND'],
  },
  listFriends: {
    method: 'GET',
    path: '/users/:uid/friends',
    summary: 'List friends',
    tag: 'Friends',
    effect: 'read',
    requires: 'fullAccess',
    device: 'own',
    params,
    query: Type.Object({ searchKey, ...cursorQuery }),
    response: CursorPage(User),
    errors: ['ERR_UID_NOT_FOUND', 'ERR_PERMISSION_DENIED'],
  },
  removeFriends: {
    method: 'DELETE',
    path: '/users/:uid/friends',
    summary: 'Remove friends',
    tag: 'Friends',
    effect: 'write',
    requires: 'fullAccess',
    params,
    body: Type.Object({ friends: Uids }),
    response: Data(Outcome),
    errors: ['ERR_UID_NOT_FOUND', 'ERR_NOT_A_FRIEND'],
  },
})
