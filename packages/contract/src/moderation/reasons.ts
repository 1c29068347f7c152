import { type Static, Type } from 'typebox'
import { Data, Identifier, Limited, limitQuery, Outcome, Timestamp } from '../envelope.ts'
import { operations } from '../operation.ts'
import { Description, Name } from '../rules/rules.ts'

export const ReasonId = Identifier('Unique id of a reason.')

const fields = { id: Type.String(), name: Type.String(), description: Type.String() }

export const Reason = Type.Object({ ...fields, createdAt: Timestamp, updatedAt: Timestamp })
export type Reason = Static<typeof Reason>

const Digits = Type.String({ pattern: '^\\d+$' })
const ListedReason = Type.Object({
  ...fields,
  createdAt: Digits,
  updatedAt: Digits,
  default: Type.Optional(Type.Boolean()),
})

const params = Type.Object({ id: ReasonId })

export const reasons = operations({
  listReasons: {
    method: 'GET',
    path: '/moderation/reasons',
    summary: 'List the reasons for which a message can be flagged',
    description:
      'Lists the reasons that a user can choose from when they report a message, those that ' +
      'every app has first.',
    tag: 'Moderation',
    effect: 'read',
    requires: 'fullAccess',
    query: Type.Object(limitQuery(10)),
    response: Limited(ListedReason),
    errors: [],
  },
  createReason: {
    method: 'POST',
    path: '/moderation/reasons',
    summary: 'Create a reason',
    description:
      'Creates a reason for reports. Refused when the id is taken, or when the app has 25 ' +
      'reasons of its own.',
    tag: 'Moderation',
    effect: 'write',
    requires: 'fullAccess',
    audit: true,
    body: Type.Object({ id: ReasonId, name: Name, description: Type.Optional(Description) }),
    response: Data(Reason),
    errors: ['ERR_REASON_ALREADY_EXISTS', 'ERR_PLAN_QUOTA_RESTRICTION'],
  },
  updateReason: {
    method: 'PUT',
    path: '/moderation/reasons/:id',
    summary: 'Update a reason',
    description:
      'Changes the name or description of a reason. Reasons that every app has cannot be ' +
      'changed.',
    tag: 'Moderation',
    effect: 'write',
    requires: 'fullAccess',
    audit: true,
    params,
    body: Type.Object({ name: Type.Optional(Name), description: Type.Optional(Description) }),
    response: Data(Reason),
    errors: ['ERR_REASON_NOT_FOUND', 'ERR_OPERATION_FAILED'],
  },
  deleteReason: {
    method: 'DELETE',
    path: '/moderation/reasons/:id',
    summary: 'Delete a reason',
    description:
      'Deletes a reason. Reports that name it stay. Reasons that every app has cannot be ' +
      'deleted.',
    tag: 'Moderation',
    effect: 'write',
    requires: 'fullAccess',
    audit: true,
    params,
    response: Data(Outcome),
    errors: ['ERR_REASON_NOT_FOUND', 'ERR_OPERATION_FAILED'],
  },
})
