import { Type } from 'typebox'
import { Data, Metadata, Outcome, Page, pageQuery, Timestamp } from '../envelope.ts'
import { operations } from '../operation.ts'
import { Uid } from './users.ts'

export const AuthToken = Type.Object({
  uid: Type.String(),
  authToken: Type.String({ description: '`<uid>_<unix seconds><hex>`' }),
  createdAt: Timestamp,
  expiresAt: Type.Optional(
    Type.Integer({ description: 'Unix seconds. Left out where it never expires.' }),
  ),
})

const user = Type.Object({ uid: Uid })
const token = Type.Object({ uid: Uid, authToken: Type.String({ minLength: 1, maxLength: 200 }) })

export const authTokens = operations({
  createAuthToken: {
    method: 'POST',
    path: '/users/:uid/auth_tokens',
    summary: 'Create an auth token',
    description:
      'Creates an auth token, with which a device of the user connects and calls. Every call ' +
      'makes a new token, one for each device; after 100 tokens of a user the oldest ends. ' +
      '`lifetimeSeconds` can shorten the lifetime that the app has set, and cannot lengthen it.',
    tag: 'Auth Tokens',
    effect: 'write',
    audit: true,
    requires: 'authOnly',
    rate: 'core',
    params: user,
    body: Type.Object({
      force: Type.Optional(
        Type.Boolean({ description: 'Changes nothing: every call makes a new token.' }),
      ),
      lifetimeSeconds: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1_000_000_000,
          description: 'After which it is refused; the setting of the app, where that is shorter.',
        }),
      ),
    }),
    response: Data(AuthToken),
    errors: ['ERR_UID_NOT_FOUND'],
  },
  listAuthTokens: {
    method: 'GET',
    path: '/users/:uid/auth_tokens',
    summary: "List a user's auth tokens",
    description: 'Lists the auth tokens of a user that are still valid, in full.',
    tag: 'Auth Tokens',
    effect: 'read',
    audit: true,
    requires: 'fullAccess',
    params: user,
    query: Type.Object(pageQuery),
    response: Page(AuthToken),
    errors: ['ERR_UID_NOT_FOUND'],
  },
  deleteAuthTokens: {
    method: 'DELETE',
    path: '/users/:uid/auth_tokens',
    summary: "Delete all of a user's auth tokens",
    description:
      'Ends all auth tokens of a user: every device is disconnected and must be given a new ' +
      'one.',
    tag: 'Auth Tokens',
    effect: 'write',
    audit: true,
    requires: 'fullAccess',
    params: user,
    response: Data(Outcome),
    errors: ['ERR_UID_NOT_FOUND'],
  },
  getAuthToken: {
    method: 'GET',
    path: '/users/:uid/auth_tokens/:authToken',
    summary: 'Get an auth token',
    description:
      'Answers one auth token of a user. Refused when it belongs to another user, was deleted ' +
      'or has expired.',
    tag: 'Auth Tokens',
    effect: 'read',
    audit: true,
    requires: 'fullAccess',
    params: token,
    response: Data(AuthToken),
    errors: ['ERR_UID_NOT_FOUND', 'ERR_AUTH_TOKEN_NOT_FOUND', 'ERR_AUTHTOKEN_NOT_ACCESSIBLE'],
  },
  updateAuthToken: {
    method: 'PUT',
    path: '/users/:uid/auth_tokens/:authToken',
    summary: 'Bind an auth token to a device',
    description:
      'Notes on which device a token is used. A token that is bound to a device cannot be bound ' +
      'to another one.',
    tag: 'Auth Tokens',
    effect: 'write',
    audit: true,
    requires: 'fullAccess',
    params: token,
    body: Type.Object({
      platform: Type.Optional(Type.String({ maxLength: 100 })),
      userAgent: Type.Optional(Type.String({ maxLength: 1000 })),
      appInfo: Type.Optional(Metadata),
    }),
    response: Data(AuthToken),
    errors: [
      'ERR_UID_NOT_FOUND',
      'ERR_AUTH_TOKEN_NOT_FOUND',
      'ERR_AUTHTOKEN_NOT_ACCESSIBLE',
      'ERR_AUTHTOKEN_UNAVAILABLE',
    ],
  },
  deleteAuthToken: {
    method: 'DELETE',
    path: '/users/:uid/auth_tokens/:authToken',
    summary: 'Delete an auth token',
    description: 'Ends one auth token, which logs out the device that has it.',
    tag: 'Auth Tokens',
    effect: 'write',
    audit: true,
    requires: 'fullAccess',
    params: token,
    response: Data(Outcome),
    errors: ['ERR_UID_NOT_FOUND', 'ERR_AUTH_TOKEN_NOT_FOUND', 'ERR_AUTHTOKEN_NOT_ACCESSIBLE'],
  },
})
