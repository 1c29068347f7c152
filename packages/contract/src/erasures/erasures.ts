import { type Static, Type } from 'typebox'
import { Data, Limited, limitQuery, NumberedId, OneOf, Timestamp } from '../envelope.ts'
import { operations } from '../operation.ts'
import { Uid } from '../users/users.ts'

const Count = Type.Integer({ minimum: 0 })

export const Erasure = Type.Object({
  erasureId: Type.String(),
  uid: Type.String(),
  pseudonym: Type.String({ description: 'Stands for the user where something must name them.' }),
  status: OneOf('running', 'held', 'done'),
  requestedAt: Timestamp,
  endedAt: Type.Optional(Timestamp),
  progress: Type.Object({
    scanned: Type.Integer({ minimum: 0, description: 'Messages of the app that were looked at.' }),
    table: Type.Optional(Type.String({ description: 'That is being looked at.' })),
  }),
  erased: Type.Object({
    messages: Type.Integer({ minimum: 0, description: 'That the user has written.' }),
    mentions: Type.Integer({ minimum: 0, description: 'Messages of others that named the user.' }),
    reactions: Count,
    rows: Type.Record(Type.String(), Count, { description: 'By table.' }),
  }),
  held: Type.Integer({ minimum: 0, description: 'Messages that a legal hold keeps.' }),
  eventsKeptUntil: Type.Optional({
    ...Timestamp,
    description: 'The last event about the user leaves the stream of events by then.',
  }),
})
export type Erasure = Static<typeof Erasure>

const shared = { tag: 'Data rights', requires: 'fullAccess' } as const

export const erasures = operations({
  eraseUser: {
    ...shared,
    method: 'POST',
    path: '/erasures',
    summary: 'Erase everything of a user',
    description:
      'Deletes the user for ever, as `DELETE /users/{uid}` with `permanent` does, and then, as a ' +
      'job, all that they have left: messages in groups, reactions, mentions by others, reports, ' +
      'and their traces in logs and queues. A user who was deleted before can be named too. ' +
      'Asked again while the job runs, the answer is the same erasure.',
    effect: 'write',
    audit: true,
    body: Type.Object({ uid: Uid }),
    response: Data(Erasure),
    errors: ['ERR_UNDER_HOLD'],
  },
  getErasure: {
    ...shared,
    method: 'GET',
    path: '/erasures/:erasureId',
    summary: 'Get an erasure',
    description: 'Shows how far it is, and afterwards what was erased from which table.',
    effect: 'read',
    params: Type.Object({ erasureId: NumberedId }),
    response: Data(Erasure),
    errors: ['ERR_ERASURE_NOT_FOUND'],
  },
  listErasures: {
    ...shared,
    method: 'GET',
    path: '/erasures',
    summary: 'List the erasures',
    description: 'Lists the erasures of the app, newest first.',
    effect: 'read',
    query: Type.Object(limitQuery(100)),
    response: Limited(Erasure),
    errors: [],
  },
})
