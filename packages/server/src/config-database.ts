import { Type } from 'typebox'

export const databaseSettings = {
  DATABASE_URL: Type.String({
    default: 'postgres://postgres@127.0.0.1:55432/chorale',
    description:
      'PostgreSQL 15 or later. Several servers, of which the primary is used: ' +
      '`postgres://user@a:5432,b:5432/name`.',
  }),
  DATABASE_POOLER: Type.Unsafe<'none' | 'transaction'>({
    type: 'string',
    enum: ['none', 'transaction'],
    default: 'none',
    description:
      'What stands at DATABASE_URL: PostgreSQL itself, or a pooler that lends a connection for one ' +
      'transaction, such as PgBouncer (docs/operate/pooler.md).',
  }),
  DATABASE_SESSION_URL: Type.String({
    default: '',
    description:
      'PostgreSQL past the pooler, for leases and migrations, which need a connection of their own: ' +
      'one for each process. Empty: DATABASE_URL.',
  }),
  DATABASE_POOL_SIZE: Type.Integer({
    default: 10,
    minimum: 1,
    description:
      'Connections for calls, of all processes of one `chorale serve` together; each has at least 3.',
  }),
  DATABASE_STATEMENT_POOL_SIZE: Type.Integer({
    default: 10,
    minimum: 4,
    description:
      'Connections beside these, for sends and pages of messages; each process has at least 4.',
  }),
  DATABASE_BACKGROUND_POOL_SIZE: Type.Integer({
    default: 8,
    minimum: 4,
    description:
      'Connections beside these, for the outbox, listeners and jobs; each process has at least 5.',
  }),
  DATABASE_STATEMENT_TIMEOUT_MS: Type.Integer({
    default: 10_000,
    minimum: 100,
    description: 'A statement that takes longer is ended, and its request answered 503.',
  }),
  DATABASE_STANDBY: Type.Unsafe<'optional' | 'required'>({
    type: 'string',
    enum: ['optional', 'required'],
    default: 'optional',
    description:
      '`required`: while commits wait for no synchronous standby, calls are answered 503 and the process ' +
      'is not ready.',
  }),
  DATABASE_LATER_SCHEMA: Type.Unsafe<'refuse' | 'allow'>({
    type: 'string',
    enum: ['refuse', 'allow'],
    default: 'refuse',
    description:
      'Whether a process starts on a database that a later release has migrated: `allow` to go back ' +
      'to the release before it.',
  }),
  DATABASE_GRACE_MS: Type.Integer({
    default: 1000,
    minimum: 10,
    description:
      'A database that has not even said so after this much longer is taken for dead: the ' +
      'connection is dropped, and the request answered 503.',
  }),
}
