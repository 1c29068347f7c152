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
    tag: 'API Keys',
    effect: 'write',
    requires: 'fullAccess',
    audit: true,
    params,
    response: Data(Outcome),
    errors: ['ERR_APIKEY_NOT_FOUND', 'ERR_APIKEY_NO_SELF_ACTION'],
  },
})
