import { type Static, Type } from 'typebox'
import { Data, OneOf, Page, pageQuery, searchKey, Timestamp } from '../envelope.ts'
import { operations, withDefault } from '../operation.ts'
import { ApiKey } from './api-keys.ts'

export const Region = OneOf('us', 'eu', 'in')
export type Region = Static<typeof Region>

export const AppId = Type.String({
  minLength: 1,
  maxLength: 32,
  pattern: '^[a-z0-9]+$',
  'x-objection': 'Use lower-case letters and digits, as in the id of every app',
})

export const App = Type.Object({
  id: Type.String(),
  name: Type.String(),
  plan: Type.String(),
  state: OneOf('active', 'archived'),
  owner: Type.Integer(),
  region: Region,
  createdAt: Timestamp,
  appOwner: Type.Object({ id: Type.String(), name: Type.String(), email: Type.String() }),
  appRegion: Type.Object({ id: Type.String(), name: Type.String(), description: Type.String() }),
  apiKeys: Type.Optional(Type.Record(Type.String(), ApiKey)),
})
export type App = Static<typeof App>

export const apps = operations({
  createApp: {
    method: 'POST',
    path: '/apps',
    summary: 'Create an app',
    description:
      'Creates an app (a tenant) with its own users, groups and messages, and its first two API ' +
      'keys: one of the scope `fullAccess` for the server of the app, one of the scope ' +
      '`authOnly`. The answer holds both keys.',
    tag: 'Apps',
    effect: 'write',
    requires: 'management',
    audit: true,
    body: Type.Object({
      name: Type.String({ minLength: 1, maxLength: 100 }),
      region: withDefault(Region, 'us'),
      version: withDefault(Type.String({ maxLength: 10 }), '3'),
      skipSampleData: Type.Optional(Type.Boolean()),
    }),
    response: Data(App),
    errors: [],
  },
  listApps: {
    method: 'GET',
    path: '/apps',
    summary: 'List apps',
    description:
      'Lists the apps that the management key may see, each with its API keys. `searchKey` is ' +
      'the beginning of a name or an id.',
    tag: 'Apps',
    effect: 'read',
    audit: true,
    requires: 'management',
    query: Type.Object({ searchKey, ...pageQuery }),
    response: Page(App),
    errors: [],
  },
})

/** Operations on one app, by its path. */
export const app = operations({
  deleteApp: {
    method: 'DELETE',
    path: '/apps/:appId',
    summary: 'Schedule an app for deletion',
    description:
      'Stops an app at once: its keys and tokens are refused from now on. All its data is ' +
      'deleted 30 days later, at `scheduledToDeleteAt`. An app that is scheduled already is not ' +
      'found.',
    tag: 'Apps',
    effect: 'write',
    requires: 'management',
    audit: true,
    params: Type.Object({ appId: AppId }),
    response: Data(Type.Object({ success: Type.Boolean(), scheduledToDeleteAt: Timestamp })),
    errors: ['ERR_APP_NOT_FOUND'],
  },
})
