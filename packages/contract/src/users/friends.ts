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
    description:
      'Makes up to 25 users friends of a user, in both directions, without asking them. The ' +
      'answer says what became of each: an unknown user, the user themselves, an existing ' +
      'friend, and more than 1000 friends are refused alone, inside the 200.',
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
    description:
      'Lists the friends of a user, sorted by name. A device can list those of its own user.',
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
    description:
      'Ends the friendship with up to 25 users, in both directions. If one of them is no ' +
      'friend, nothing is changed.',
    tag: 'Friends',
    effect: 'write',
    requires: 'fullAccess',
    params,
    body: Type.Object({ friends: Uids }),
    response: Data(Outcome),
    errors: ['ERR_UID_NOT_FOUND', 'ERR_NOT_A_FRIEND'],
  },
})
