import { type Static, Type } from 'typebox'
import { Data, Outcome, Page, pageQuery, searchKey, Timestamp } from '../envelope.ts'
import { operations } from '../operation.ts'
import { Region } from './apps.ts'
import { CollaboratorRole, NewPassword } from './collaborators.ts'

/** A browser in which a person has signed in. */
export const CollaboratorSession = Type.Object({
  id: Type.String(),
  createdAt: Timestamp,
  lastUsedAt: Timestamp,
  expiresAt: Timestamp,
  address: Type.String({ description: 'Of the client that signed in.' }),
  userAgent: Type.String(),
  method: Type.String({ description: '`password`, or `oidc`.' }),
  current: Type.Boolean({ description: 'Whether it is the one that asks.' }),
})
export type CollaboratorSession = Static<typeof CollaboratorSession>

const Self = Type.Object({
  id: Type.String(),
  name: Type.String(),
  email: Type.String(),
  role: Type.Optional({ ...CollaboratorRole, description: 'In every app of the install.' }),
  permissions: Type.Array(Type.String(), { description: 'What `role` allows.' }),
  apps: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      role: CollaboratorRole,
      permissions: Type.Array(Type.String()),
    }),
  ),
  hasPassword: Type.Boolean(),
  hasSecondFactor: Type.Boolean(),
  mustEnrol: Type.Boolean({
    description: 'Whether a second factor has to be set up before anything else is answered.',
  }),
  session: CollaboratorSession,
})
export type Self = Static<typeof Self>

const OwnApp = Type.Object({
  id: Type.String(),
  name: Type.String(),
  region: Region,
  createdAt: Timestamp,
  permissions: Type.Array(Type.String(), {
    description: 'What the roles in the app and in the install allow together.',
  }),
})
export type OwnApp = Static<typeof OwnApp>

const Code = Type.String({ pattern: '^[0-9]{6}$', 'x-objection': 'Use six digits' })
const Password = Type.String({ minLength: 1, maxLength: 200 })

export const sessions = operations({
  getSession: {
    method: 'GET',
    path: '/session',
    summary: 'Get the signed-in person',
    description:
      'Tells who is signed in, with the apps and permissions of that person, and until when.',
    tag: 'Console',
    effect: 'read',
    requires: 'session',
    response: Data(Self),
    errors: [],
  },
  listOwnApps: {
    method: 'GET',
    path: '/session/apps',
    summary: 'List own apps',
    description:
      'Lists the apps in which the person has a role, with what it allows and without keys; all of ' +
      'them for a person of the install. `searchKey` is the beginning of a name or an id.',
    tag: 'Console',
    effect: 'read',
    requires: 'session',
    query: Type.Object({ searchKey, ...pageQuery }),
    response: Page(OwnApp),
    errors: [],
  },
  listSessions: {
    method: 'GET',
    path: '/sessions',
    summary: 'List own sessions',
    description: 'Lists the browsers in which the person is signed in, the latest first.',
    tag: 'Console',
    effect: 'read',
    requires: 'session',
    response: Data(Type.Array(CollaboratorSession)),
    errors: [],
  },
  revokeSession: {
    method: 'DELETE',
    path: '/sessions/:sessionId',
    summary: 'End a session',
    description:
      'Ends a session of the person: its cookie is refused from now on. `current` is the one that ' +
      'asks, which is how to sign out; `others` are all but that.',
    tag: 'Console',
    effect: 'write',
    requires: 'session',
    audit: true,
    params: Type.Object({ sessionId: Type.String({ minLength: 1, maxLength: 100 }) }),
    response: Data(Outcome),
    errors: ['ERR_SESSION_NOT_FOUND'],
  },
  changePassword: {
    method: 'PUT',
    path: '/session/password',
    summary: 'Change the password',
    description:
      'Sets another password for a person who has one, and ends their other sessions. The present ' +
      'one must be right; who is wrong too often has to wait.',
    tag: 'Console',
    effect: 'write',
    requires: 'session',
    audit: true,
    body: Type.Object({ password: Password, newPassword: NewPassword }),
    response: Data(Outcome),
    errors: ['ERR_SIGN_IN_REFUSED'],
  },
  startTotp: {
    method: 'POST',
    path: '/session/totp',
    summary: 'Begin to set up a second factor',
    description:
      'Makes a secret for an authenticator app (TOTP, RFC 6238). It counts from the moment that ' +
      '`confirmTotp` has seen a code of it. Whoever has a second factor already is refused: a ' +
      'person who has lost theirs asks the operator (`chorale collaborator reset`).',
    tag: 'Console',
    effect: 'write',
    requires: 'session',
    audit: true,
    response: Data(
      Type.Object({
        secret: Type.String({ description: 'In base32.' }),
        uri: Type.String({ description: '`otpauth:` address, for a QR code.' }),
      }),
    ),
    errors: ['ERR_SECOND_FACTOR_STATE'],
  },
  confirmTotp: {
    method: 'PUT',
    path: '/session/totp',
    summary: 'Finish setting up a second factor',
    description:
      'Switches the second factor on, once a code shows that the authenticator has the secret. ' +
      'The answer has ten recovery codes, each good once; they are shown this once.',
    tag: 'Console',
    effect: 'write',
    requires: 'session',
    audit: true,
    body: Type.Object({ code: Code }),
    response: Data(Type.Object({ recoveryCodes: Type.Array(Type.String()) })),
    errors: ['ERR_SIGN_IN_REFUSED', 'ERR_SECOND_FACTOR_STATE'],
  },
})
