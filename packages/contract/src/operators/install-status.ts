import { type Static, Type } from 'typebox'
import { Data, OneOf, Timestamp } from '../envelope.ts'
import { operations } from '../operation.ts'

const Process = Type.Object({
  host: Type.String(),
  pid: Type.Integer(),
  version: Type.String(),
  parts: Type.Array(Type.String()),
  startedAt: Timestamp,
  ready: Type.Boolean(),
  degraded: Type.Boolean(),
  failing: Type.Record(Type.String(), Type.String()),
  sockets: Type.Union([Type.Integer(), Type.Null()]),
  connections: Type.Object({
    open: Type.Integer(),
    max: Type.Integer(),
    waiting: Type.Integer(),
  }),
})

const Queue = Type.Object({
  queue: Type.String(),
  due: Type.Integer(),
  later: Type.Integer({ description: 'Claimed, or to be tried later.' }),
  behind: Type.Integer({ description: 'What rows stand for, where they stand for several.' }),
  lateMs: Type.Integer({ description: 'Since when the first is due.' }),
  attempts: Type.Integer({ description: 'Of the job that was claimed most often.' }),
})

const Problem = Type.Object({
  check: Type.String(),
  level: OneOf('failure', 'warning'),
  text: Type.String(),
  remedy: Type.Optional(Type.String()),
})

const InstallStatus = Type.Object({
  ok: Type.Boolean(),
  version: Type.String(),
  readAt: Timestamp,
  database: Type.Optional(
    Type.Object({
      version: Type.String(),
      schema: Type.Optional(Type.String({ description: 'The last migration.' })),
      connections: Type.Integer(),
      maxConnections: Type.Integer(),
    }),
  ),
  nats: Type.Optional(
    Type.Object({
      version: Type.String(),
      deadLetters: Type.Optional(Type.Integer()),
      consumers: Type.Array(Type.Object({ consumer: Type.String(), messages: Type.Integer() })),
    }),
  ),
  processes: Type.Array(Process),
  queues: Type.Array(Queue),
  outbox: Type.Optional(
    Type.Object({
      receipts: Type.Integer(),
      events: Type.Integer(),
      lagSeconds: Type.Integer(),
    }),
  ),
  problems: Type.Array(Problem),
})
export type InstallStatus = Static<typeof InstallStatus>

export const installStatus = operations({
  getInstallStatus: {
    method: 'GET',
    path: '/status',
    summary: 'Say how the install is: engines, processes, queues, and what is wrong',
    description:
      'Answers what `chorale status` shows: PostgreSQL and NATS, the processes that answer, how ' +
      'far each consumer and each queue is behind, and problems with their remedies. It waits ' +
      'two seconds for processes to answer. What could not be read is left out, and a problem ' +
      'says why.',
    tag: 'Operations',
    effect: 'read',
    requires: 'management',
    response: Data(InstallStatus),
    errors: [],
  },
})
