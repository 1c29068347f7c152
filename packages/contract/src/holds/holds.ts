import { type Static, Type } from 'typebox'
import { Data, Limited, limitQuery, NumberedId, Outcome, Timestamp } from '../envelope.ts'
import { Guid } from '../groups/groups.ts'
import { operations } from '../operation.ts'
import { Uid } from '../users/users.ts'

export const Hold = Type.Object({
  holdId: Type.String(),
  uid: Type.Optional(Type.String()),
  guid: Type.Optional(Type.String()),
  reason: Type.String(),
  createdAt: Timestamp,
})
export type Hold = Static<typeof Hold>

const shared = { tag: 'Data rights', requires: 'fullAccess' } as const

export const holds = operations({
  createHold: {
    ...shared,
    method: 'POST',
    path: '/holds',
    summary: 'Put a user or a group under a legal hold',
    description:
      'While a hold is there, nothing that the user has written, and nothing of the group, is ' +
      'erased: `DELETE` of the user for ever, of the group and erasures are refused with ' +
      '`ERR_UNDER_HOLD`; a message that is deleted for ever is hidden, and kept. Name a `uid` or ' +
      'a `guid`.',
    effect: 'write',
    audit: true,
    body: Type.Object({
      uid: Type.Optional(Uid),
      guid: Type.Optional(Guid),
      reason: Type.String({ minLength: 1, maxLength: 500 }),
    }),
    response: Data(Hold),
    errors: ['ERR_UID_NOT_FOUND', 'ERR_GUID_NOT_FOUND'],
  },
  listHolds: {
    ...shared,
    method: 'GET',
    path: '/holds',
    summary: 'List the legal holds',
    description: 'Lists the legal holds of the app, oldest first.',
    effect: 'read',
    query: Type.Object(limitQuery(100)),
    response: Limited(Hold),
    errors: [],
  },
  releaseHold: {
    ...shared,
    method: 'DELETE',
    path: '/holds/:holdId',
    summary: 'Release a legal hold',
    description:
      'What was refused because of the hold can be asked for again. Erasures that wait for it go on.',
    effect: 'write',
    audit: true,
    params: Type.Object({ holdId: NumberedId }),
    response: Data(Outcome),
    errors: ['ERR_HOLD_NOT_FOUND'],
  },
})
