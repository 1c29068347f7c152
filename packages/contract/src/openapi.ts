import type { TObject, TSchema } from 'typebox'
import { allOperations } from './api.ts'
import { ApiKey, App } from './apps/index.ts'
import { Conversation, Message } from './conversations/index.ts'
import { type ErrorCode, errors } from './errors.ts'
import { Event } from './events/index.ts'
import type { Example, Examples } from './examples.ts'
import { Group } from './groups/index.ts'
import { descriptionOf } from './openapi-text.ts'
import { type Operation, pipelineErrors } from './operation.ts'
import { Role } from './roles/index.ts'
import { AuthToken, User } from './users/index.ts'

type Json = Record<string, unknown>

export interface OpenApiDocument extends Json {
  readonly openapi: string
  readonly paths: Record<string, Record<string, Json>>
}

const named = { User, AuthToken, Role, ApiKey, App, Group, Message, Conversation, Event }

/**
 * What each chapter of the document is about, in reading order. `npm run openapi:lint` names a tag
 * that is missing here.
 */
const tags: Readonly<Record<string, string>> = {
  Users: 'The people of an app. The app gives each a uid.',
  Me: 'The user of a device, who calls with an auth token.',
  'Auth Tokens': 'What the device of a user shows. A token stands for one user.',
  Issuers: 'Whose JWTs a device may show instead of an auth token.',
  Friends: 'Friendship holds in both directions.',
  'Blocked Users': 'Blocking has a direction: the one who blocks, and the one who is blocked.',
  Groups: 'Rooms for many users: public, with a password, or private.',
  'Group Members': 'Who is in a group, as admin, moderator or participant.',
  'Banned Users': 'Who may not come back into a group.',
  'Scope Permissions': 'What admins, moderators and participants of a group may do.',
  Conversations: 'What is between two users, or in a group, as one of its users sees it.',
  Roles: 'Kinds of users, with their own settings. Every app has the role `default`.',
  'Role Permissions': 'What users of a role may do, and how far it reaches.',
  'Restrict Features': 'Calls that users of a role may not make.',
  'API Keys': 'What the server of an app shows to be let in.',
  Apps: 'Tenants of this install. Calls of the operator, at the management address.',
  Collaborators: 'The people who run an app, with a role each. At the management address.',
  Console: 'The session of a signed-in collaborator. Calls of the console itself.',
  Settings: 'What is switched on in an app. Calls of the operator, at the management address.',
  Extensions: 'Push as older apps set it up. Calls of the operator, at the management address.',
  Messages: 'What people say, in the order in which they said it.',
  Files: 'What comes with messages. The bytes go straight to a store, and are read from there.',
  'Data import': 'Users, groups, members and messages that come from elsewhere, with their times.',
  'Data rights': 'Erasing what is known of a user, and legal holds that keep it.',
  Notifications: 'Who is told of what when no app is open, and how.',
  Webhooks: 'Who is told what happens. Calls of the operator, at the management address.',
  Moderation: 'Rules for what may be said, what they have blocked, and what users complain of.',
  Events: 'What has happened, for a server that would rather ask than be told.',
  Support: 'What those who help users need: who a user is, and what became of a message.',
  Operations: 'The state of the install. Calls of the operator, at the management address.',
  Metrics: 'How much was sent, delivered and read, and by how many.',
}

function tagsInUse() {
  const used = new Set([...allOperations.values()].map(({ tag }) => tag))
  const inOrder = new Set(Object.keys(tags)).intersection(used).union(used)
  return [...inOrder].map((name) => ({ name, description: tags[name] }))
}

/**
 * The whole contract as OpenAPI 3.1: the schemas are JSON Schema 2020-12 already. Examples are by
 * the names of operations.
 */
export function openapi(version: string, examples: Examples = new Map()): OpenApiDocument {
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Chorale',
      version,
      summary: 'An open, self-hosted, multi-tenant chat back end.',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [thisHost, appHost],
    tags: tagsInUse(),
    security: withKey,
    paths: paths(examples),
    components: {
      schemas: { ...named, ErrorAnswer: errorSchema },
      securitySchemes: {
        appId: header('appId', 'Names the app, where the host name does not.'),
        apikey: header('apikey', 'An API key of the app.'),
        authToken: header('authToken', 'The auth token of a user, on their device.'),
        key: header('key', 'The management key of the operator.'),
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-chorale',
          description: 'The session of a collaborator; where there is no TLS, `chorale`.',
        },
        secret: header('secret', 'The secret that belongs to the management key.'),
      },
    },
  }
  return byReference(document)
}

const introduction = `
A server calls with the header \`apikey\`, the device of a user with \`authToken\`. The host name
names the app, as in \`{appId}.api-us.localhost\`; where it does not, the header \`appId\` does. \`chorale app create\` makes an app and its keys.

- Every success is 200, creation and deletion included.
- Every failure is \`{error: {code, message, devMessage, source, details?}}\`. \`devMessage\` says what
  to do, \`details\` has the objections to each field.
- Times are unix seconds. Ids that you give are kept in lower case.
- Fields that a call does not know are ignored.
`.trim()

const withKey = [{ appId: [], apikey: [] }, { apikey: [] }]
const withToken = [{ appId: [], authToken: [] }, { authToken: [] }]

function header(name: string, description: string) {
  return { type: 'apiKey', in: 'header', name, description }
}

const thisHost = { url: '/v3', description: 'This host' }
const appHost = {
  url: 'http://{appId}.api-{region}.{host}/v3',
  description: 'A host name for each app',
  variables: {
    appId: { default: 'your-app', description: 'Id of the app.' },
    region: { default: 'us', enum: ['us', 'eu', 'in'], description: 'Where the app lives.' },
    host: { default: 'localhost:3000', description: 'Where this install answers.' },
  },
}
const managementServer = {
  url: 'http://apimgmt.{host}',
  description: 'Management',
  variables: { host: { default: 'localhost:3000', description: 'Where this install answers.' } },
}

const consoleServer = { url: '/console/api', description: 'Console' }

const errorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'devMessage', 'source'],
      properties: {
        code: { type: 'string' },
        message: { type: 'string' },
        devMessage: { type: 'string' },
        source: { type: 'string' },
        details: {
          type: 'object',
          additionalProperties: { type: 'array', items: { type: 'string' } },
        },
      },
    },
  },
}

function paths(examples: Examples) {
  const result: Record<string, Record<string, Json>> = {}
  for (const [name, operation] of allOperations) {
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}')
    result[path] ??= {}
    result[path][operation.method.toLowerCase()] = describe(name, operation, examples.get(name))
  }
  return result
}

function describe(operationId: string, operation: Operation, example?: Example): Json {
  const management = operation.requires === 'management'
  const security = securityOf(operation)
  const { params, query, headers, body, form } = example?.request ?? {}
  return {
    operationId,
    summary: operation.summary,
    description: descriptionOf(operation),
    tags: [operation.tag],
    ...(operation.deprecated && { deprecated: true }),
    ...(management && { servers: [managementServer] }),
    ...(operation.requires === 'session' && { servers: [consoleServer] }),
    ...(security && { security }),
    parameters: [
      ...parameters('path', operation.params, params),
      ...parameters('query', operation.query, query),
      ...parameters('header', operation.headers, headers),
      ...onBehalfOf(operation, example?.request.onBehalfOf),
    ],
    ...(operation.body && { requestBody: bodyOf(operation.body, operation, body) }),
    ...(operation.form && {
      requestBody: requestBody('multipart/form-data', operation.form, form),
    }),
    responses: {
      200: {
        description: 'Done.',
        content: {
          ...answerOf(operation, example?.answer),
        },
      },
      ...failures(operation),
    },
  }
}

/** As lines the items come alone, without `data` around them. */
function answerOf({ response, lines }: Operation, example: unknown): Json {
  if (!lines) return { 'application/json': { schema: response, ...shown(example) } }
  const { properties } = response as unknown as { properties: { data: { items: TSchema } } }
  const { data } = (example ?? {}) as { data?: readonly unknown[] }
  return { 'application/x-ndjson': { schema: properties.data.items, ...shown(data?.[0]) } }
}

/** With files the same fields come as a form. */
function bodyOf(schema: TObject, { takesFiles }: Operation, example: unknown): Json {
  const plain = requestBody('application/json', schema, example)
  if (!takesFiles) return plain
  const files = { type: 'array', items: { type: 'string', format: 'binary' } }
  const { properties, ...rest } = asSent(schema)
  const form = { ...rest, properties: { ...Object(properties), 'files[]': files } }
  const content = {
    ...Object(plain.content),
    'multipart/form-data': { schema: form, ...shown(example) },
  }
  return { ...plain, content }
}

function requestBody(type: string, schema: TObject, example: unknown): Json {
  const content = { [type]: { schema: asSent(schema), ...shown(example) } }
  return { required: required(schema).length > 0, content }
}

function shown(example: unknown): Json {
  return example === undefined ? {} : { example }
}

/** Undefined: as for most, an API key. */
function securityOf({ requires, device }: Operation) {
  if (requires === 'management') return [{ key: [], secret: [] }]
  if (requires === 'session') return [{ session: [] }]
  if (requires === 'authToken') return withToken
  return device && [...withKey, ...withToken]
}

function parameters(
  where: 'path' | 'query' | 'header',
  schema: TObject | undefined,
  examples: Json = {},
): Json[] {
  if (!schema) return []
  const needed = required(schema)
  return Object.entries<TSchema>(schema.properties).map(([name, property]) => ({
    name,
    in: where,
    required: where === 'path' || needed.includes(name),
    schema: property,
    ...shown(examples[name]),
  }))
}

function onBehalfOf({ onBehalfOf: presence }: Operation, example: string | undefined): Json[] {
  if (!presence) return []
  return [
    {
      name: 'onBehalfOf',
      in: 'header',
      required: presence === 'required',
      description: 'Uid of the user as whom the call acts.',
      schema: { type: 'string' },
      ...shown(example),
    },
  ]
}

/** A property with a default is always there for the handler, and never asked of the caller. */
function required(schema: TObject): string[] {
  const properties: Record<string, TSchema> = schema.properties
  return (schema.required ?? []).filter((name: string) => !('default' in (properties[name] ?? {})))
}

function asSent(schema: TObject): Json {
  const { required: _, ...rest } = schema
  const needed = required(schema)
  return needed.length > 0 ? { ...rest, required: needed } : rest
}

/** One response per status; its description lists the codes behind it. */
function failures(operation: Operation): Json {
  const codes: ErrorCode[] = [...operation.errors, ...pipelineErrors.filter(fits(operation))]
  const byStatus: Record<string, ErrorCode[]> = Object.groupBy(
    new Set(codes),
    (code) => errors[code].status,
  ) as Record<string, ErrorCode[]>
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, list]) => [
      status,
      {
        description: list.map((code) => `\`${code}\`: ${errors[code].message}`).join('\n\n'),
        content: { 'application/json': { schema: errorSchema } },
      },
    ]),
  )
}

/** Which errors of the route an operation can be answered with. */
export function fits({ requires, device }: Operation): (code: ErrorCode) => boolean {
  const managementCodes = ['AUTH_ERR_EMPTY_AUTH_HEADER', 'AUTH_ERR_MANAGEMENT_KEY_NOT_FOUND']
  const sessionCodes = ['AUTH_ERR_SESSION_NOT_FOUND', 'AUTH_ERR_FOREIGN_PAGE']
  const tokenCodes = ['AUTH_ERR_EMPTY_AUTH_TOKEN', 'AUTH_ERR_AUTH_TOKEN_NOT_FOUND']
  return (code: ErrorCode) => {
    if (sessionCodes.includes(code)) return requires === 'session'
    if (requires === 'session') return !code.startsWith('AUTH_')
    if (tokenCodes.includes(code)) return device !== undefined
    return (
      !code.startsWith('AUTH_') || managementCodes.includes(code) === (requires === 'management')
    )
  }
}

/** Schemas that have a name are written once and referred to. Copies count: their text is the same. */
function byReference(document: Json): OpenApiDocument {
  const names = new Map(
    Object.entries({ ...named, ErrorAnswer: errorSchema }).map(([name, schema]) => [
      JSON.stringify(schema),
      name,
    ]),
  )
  const defined = new Set<string>()
  const text = JSON.stringify(document, (key, value: unknown) => {
    if (isDocumented(value)) {
      const { 'x-documents': properties, ...schema } = value
      return { ...schema, properties }
    }
    if (isMap(value)) {
      const { patternProperties, ...schema } = value
      return { ...schema, additionalProperties: patternProperties[anyName] }
    }
    const name = isSchema(value) ? names.get(JSON.stringify(value)) : undefined
    if (name === undefined) return value
    if (key === name && !defined.has(name)) {
      defined.add(name)
      return value
    }
    return { $ref: `#/components/schemas/${name}` }
  })
  return JSON.parse(text) as OpenApiDocument
}

/** Fields that the rules check rather than the schema. */
function isDocumented(value: unknown): value is Json & { 'x-documents': Json } {
  return typeof value === 'object' && value !== null && 'x-documents' in value
}

const anyName = '^.*$'

/** With any names: as patterns these would be lost on generators of clients. */
function isMap(value: unknown): value is Json & { patternProperties: Json } {
  if (typeof value !== 'object' || value === null || !('patternProperties' in value)) return false
  const names = Object.keys(Object(value.patternProperties))
  return names.length === 1 && names[0] === anyName
}

function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ('properties' in value || 'anyOf' in value)
}
