import { type Static, Type } from 'typebox'
import { Data, Limited, limitQuery, NumberedId, OneOf, Outcome, Timestamp } from '../envelope.ts'
import { Guid } from '../groups/groups.ts'
import { operations } from '../operation.ts'
import { Uid } from '../users/users.ts'

const days = Type.Integer({
  minimum: 1,
  maximum: 36_500,
  description: 'Messages that are older are deleted for ever.',
})
const Count = Type.Integer({ minimum: 0 })

/** How long messages of the app, or of one conversation, are kept. */
export const Retention = Type.Object({
  retentionId: Type.String(),
  days,
  guid: Type.Optional(Type.String()),
  uids: Type.Optional(Type.Array(Type.String(), { description: 'Who write to each other.' })),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Retention = Static<typeof Retention>

/** One walk through the conversations of the app. */
export const RetentionRun = Type.Object({
  runId: Type.String(),
  status: OneOf('running', 'done'),
  startedAt: Timestamp,
  endedAt: Type.Optional(Timestamp),
  conversations: Type.Integer({ minimum: 0, description: 'In which messages were deleted.' }),
  messages: Type.Integer({ minimum: 0, description: 'That were deleted.' }),
  held: Type.Integer({ minimum: 0, description: 'Messages that a legal hold keeps.' }),
  rows: Type.Record(Type.String(), Count, {
    description: 'Rows about these messages that were deleted, by table.',
  }),
})
export type RetentionRun = Static<typeof RetentionRun>

const shared = { tag: 'Data rights', requires: 'fullAccess' } as const

export const retention = operations({
  setRetention: {
    ...shared,
    method: 'PUT',
    path: '/retention',
    summary: 'Set for how many days messages are kept',
    description:
      'A job deletes for ever what is older, with its reactions, edits and search words, now and ' +
      'once a day. Without `guid` and `uids` it holds for all conversations of the app; with one ' +
      'of them for that conversation, in place of what holds for the app. What a legal hold keeps ' +
      'stays. No webhook tells of it.',
    effect: 'write',
    audit: true,
    body: Type.Object({
      days,
      guid: Type.Optional(Guid),
      uids: Type.Optional(Type.Array(Uid, { minItems: 1, maxItems: 2, description: 'Two users.' })),
    }),
    response: Data(Retention),
    errors: ['ERR_GUID_NOT_FOUND', 'ERR_CONVERSATION_NOT_FOUND'],
  },
  listRetention: {
    ...shared,
    method: 'GET',
    path: '/retention',
    summary: 'List for how many days messages are kept',
    description: 'Lists what holds for the app and for single conversations, oldest first.',
    effect: 'read',
    query: Type.Object(limitQuery(100)),
    response: Limited(Retention),
    errors: [],
  },
  deleteRetention: {
    ...shared,
    method: 'DELETE',
    path: '/retention/:retentionId',
    summary: 'Keep messages again',
    description: 'What was deleted stays deleted. A run that is under way leaves the rest.',
    effect: 'write',
    audit: true,
    params: Type.Object({ retentionId: NumberedId }),
    response: Data(Outcome),
    errors: ['ERR_RETENTION_NOT_FOUND'],
  },
  listRetentionRuns: {
    ...shared,
    method: 'GET',
    path: '/retention/runs',
    summary: 'List what was deleted because it was too old',
    description: 'Lists the runs of the job, newest first, with what each has deleted.',
    effect: 'read',
    query: Type.Object(limitQuery(100)),
    response: Limited(RetentionRun),
    errors: [],
  },
})
