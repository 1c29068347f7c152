import { type Static, Type } from 'typebox'
import { Data, OneOf, Outcome, Page, pageQuery, searchKey, Timestamp } from '../envelope.ts'
import { operations, withDefault } from '../operation.ts'

export const ApiKeyScope = OneOf('authOnly', 'fullAccess')
export type ApiKeyScope = Static<typeof ApiKeyScope>

export const ApiKey = Type.Object({
  apiKey: Type.String(),
  name: Type.String(),
  scope: ApiKeyScope,
  createdAt: Timestamp,
  createdBy: Type.Optional(Type.String()),
})
export type ApiKey = Static<typeof ApiKey>

const Name = Type.String({ minLength: 1, maxLength: 100 })
const params = Type.Object({ apiKey: Type.String({ minLength: 1, maxLength: 100 }) })

export const apiKeys = operations({
  createApiKey: {
    method: 'POST',
    path: '/apikeys',
    summary: 'Create an API key',
    description:
      'Creates an API key of the app. `authOnly` keys can create users and auth tokens, ' +
      '`fullAccess` keys can make every call. Refused when another key has the same name, or ' +
      'when the app has 25 keys.',
    tag: 'API Keys',
    effect: 'write',
    requires: 'fullAccess',
    audit: true,
    body: Type.Object({ name: Name, scope: withDefault(ApiKeyScope, 'authOnly') }),
    response: Data(ApiKey),
    errors: ['ERR_PLAN_QUOTA_RESTRICTION'],
  },
  listApiKeys: {
    method: 'GET',
    path: '/apikeys',
    summary: 'List API keys',
    description:
      'Lists the API keys of the app in full. `scope` and `searchKey` (the beginning of a name) ' +
      'narrow the list.',
    tag: 'API Keys',
    effect: 'read',
    audit: true,
    requires: 'fullAccess',
    query: Type.Object({
      scope: Type.Optional(ApiKeyScope),
      searchKey,
      ...pageQuery,
    }),
    response: Page(ApiKey),
    errors: [],
  },
  getApiKey: {
    method: 'GET',
    path: '/apikeys/:apiKey',
    summary: 'Get an API key',
    description: 'Answers one API key of the app, with its name and scope.',
    tag: 'API Keys',
    effect: 'read',
    audit: true,
    requires: 'fullAccess',
    params,
    response: Data(ApiKey),
    errors: ['ERR_APIKEY_NOT_FOUND'],
  },
  updateApiKey: {
    method: 'PUT',
    path: '/apikeys/:apiKey',
    summary: 'Update an API key',
    description:
      'Changes the name or the scope of an API key. The key that makes the call cannot be ' +
      'changed by it, and no two keys have the same name.',
    tag: 'API Keys',
    effect: 'write',
    requires: 'fullAccess',
    audit: true,
    params,
    body: Type.Object({ name: Type.Optional(Name), scope: Type.Optional(ApiKeyScope) }),
    response: Data(ApiKey),
    errors: ['ERR_APIKEY_NOT_FOUND', 'ERR_APIKEY_NO_SELF_ACTION'],
  },
  deleteApiKey: {
    method: 'DELETE',
    path: '/apikeys/:apiKey',
    summary: 'Delete an API key',
    description:
      'Deletes an API key: calls with it are refused from now on. The key that makes the call ' +
      'cannot delete itself.',
    tag: 'API Keys',
    effect: 'write',
    requires: 'fullAccess',
    audit: true,
    params,
    response: Data(Outcome),
    errors: ['ERR_APIKEY_NOT_FOUND', 'ERR_APIKEY_NO_SELF_ACTION'],
  },
})
