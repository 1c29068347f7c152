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
    tag: 'Auth Tokens',
    effect: 'write',
    audit: true,
    requires: 'fullAccess',
    params: token,
    response: Data(Outcome),
    errors: ['ERR_UID_NOT_FOUND', 'ERR_AUTH_TOKEN_NOT_FOUND', 'ERR_AUTHTOKEN_NOT_ACCESSIBLE'],
  },
})
