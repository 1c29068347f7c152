import { type Static, Type } from 'typebox'
import { Timestamp, UnixTime } from '../envelope.ts'
import { operations, withDefault } from '../operation.ts'
import { AppId } from './apps.ts'

/** Who did what. Secrets are masked; what is large is told by its size and digest. */
export const AuditEntry = Type.Object({
  id: Type.Integer(),
  at: Timestamp,
  appId: Type.Optional(
    Type.String({ description: 'Left out where the install as such is meant.' }),
  ),
  caller: Type.String({
    description:
      '`key:<name>`, `device:<uid>`, `management:<name>`, `collaborator:<e-mail>` or `cli`.',
  }),
  keyId: Type.Optional(
    Type.String({
      description: 'The last characters of an API key; a management key; the id of a session.',
    }),
  ),
  collaboratorId: Type.Optional(Type.Integer({ description: 'The person who did it.' })),
  name: Type.Optional(Type.String({ description: 'The name of that person, as it was then.' })),
  uid: Type.Optional(Type.String({ description: 'The user as whom the call was made.' })),
  address: Type.Optional(Type.String({ description: 'Of the client.' })),
  operation: Type.String(),
  input: Type.Unsafe<unknown>({ description: 'What the call was given.' }),
  requestId: Type.Optional(Type.String()),
})
export type AuditEntry = Static<typeof AuditEntry>

const text = Type.Optional(Type.String({ minLength: 1, maxLength: 200 }))
const EntryId = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

const AuditQuery = Type.Object({
  appId: Type.Optional(AppId),
  operation: text,
  caller: text,
  collaboratorId: Type.Optional({ ...EntryId, description: 'A person, whatever their name was.' }),
  since: Type.Optional(UnixTime),
  until: Type.Optional(UnixTime),
  before: Type.Optional({ ...EntryId, description: '`meta.next.before` of the page before.' }),
  limit: withDefault(Type.Integer({ minimum: 1, maximum: 1000 }), 100),
})
export type AuditQuery = Static<typeof AuditQuery>

export const auditLog = operations({
  exportAuditLog: {
    method: 'GET',
    path: '/audit-log/export',
    summary: 'Export who did what, newest first, a JSON object a line',
    description:
      'Answers all lines of the audit log that fit the filters, newest first, as NDJSON: a JSON ' +
      'object a line, sent while it is read. The export itself is noted in the log.',
    tag: 'Apps',
    effect: 'read',
    requires: 'management',
    audit: true,
    lines: true,
    query: Type.Omit(AuditQuery, ['before', 'limit']),
    response: Type.Object({ data: Type.Array(AuditEntry) }),
    errors: [],
  },
  listAuditLog: {
    method: 'GET',
    path: '/audit-log',
    summary: 'List who did what, newest first',
    description:
      'Lists the calls that the audit log has noted, newest first: changes of consequence and ' +
      'looks at secrets, with who called and what the call was given. Secrets in it are masked. ' +
      'The filters can be combined.',
    tag: 'Apps',
    effect: 'read',
    requires: 'management',
    query: AuditQuery,
    response: Type.Object({
      data: Type.Array(AuditEntry),
      meta: Type.Object({
        current: Type.Object({ limit: Type.Integer(), count: Type.Integer() }),
        next: Type.Optional(Type.Object({ before: EntryId })),
      }),
    }),
    errors: [],
  },
})
