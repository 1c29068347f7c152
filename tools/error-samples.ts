import { type Api, allOperations } from '../packages/contract/src/api.ts'
import type { ErrorCode } from '../packages/contract/src/errors.ts'
import { requireClearanceOver, requireOwner } from '../packages/server/src/domain/groups/rules.ts'
import { checkContent } from '../packages/server/src/domain/messages/send/content.ts'
import { parseBody } from '../packages/server/src/http/body.ts'
import { badRequest, Failure, tooManyRequests } from '../packages/server/src/pipeline/failure.ts'
import { validationOf } from '../packages/server/src/pipeline/validation.ts'

/** Something that is refused, and how. */
export interface Sample {
  readonly title: string
  readonly sent: string
  readonly failure: Failure
}

function failureOf(refused: () => unknown): Failure {
  try {
    refused()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error(`This was let through: ${refused}`)
}

// The texts of a code ------------------------------------------------------------------------------

/** What a caller may have named, or a limit of the service, where a text mentions it. */
const named = {
  uid: 'ann',
  guid: 'team',
  email: 'ann@example.com',
  state: 'not begun',
  role: 'manager',
  scope: 'moderator',
  id: '4711',
  appId: '2748f1a9c3d5',
  apiKey: '0f3c...',
  conversationId: 'group_team',
  limit: 100,
  category: 'message',
  type: 'poll',
  types: 'text, image',
  seconds: 60,
  most: 104_857_600,
  uploadId: '0199c0de-7000-7000-8000-0000000000ab',
  why: '3 parts are missing',
  version: 'v2',
  method: 'GET',
  path: '/v3/usres',
  requestId: '0190a6e4-7e1b-7000-8000-000000000001',
  ruleId: 'no-links',
  revisionId: 'no-links_2',
  dryRunId: '0190a6e4-7e1b-7000-8000-0000',
  keywordId: 'bad-words',
  extension: 'polls',
  providerId: 'fcm-1',
  trigger: 'user_slept',
  needed: 'an API key with the scope fullAccess',
  what: 'friends',
  holdId: '1',
  erasureId: '1',
  retentionId: '1',
  muid: 'm-1',
  createdAt: '1600000000',
  field: 'uid',
  objection: 'This field is required.',
  reason: 'it has expired',
  value: 'login',
} as const

const participant = { uid: 'ann', rank: 'participant' } as const
const content = (category: string, type: string, data: object) => () =>
  checkContent({ settings: {} }, category, type, { ...data })
const text = (data: object) => content('message', 'text', data)

/** Where the rule that refuses can be run as it is. */
const refusals: Partial<Record<ErrorCode, () => unknown>> = {
  ERR_BAD_REQUEST: () => read('createUser', { body: {} }),
  ERR_EMPTY_MESSAGE_TEXT: text({}),
  ERR_INVALID_MESSAGE_TEXT: text({ text: 7 }),
  ERR_INVALID_METADATA: text({ text: 'hi', metadata: 7 }),
  ERR_INVALID_MESSAGE_TYPE: content('message', 'poll', {}),
  ERR_EMPTY_MESSAGE_FILE: content('message', 'image', {}),
  ERR_INVALID_MEDIA_MESSAGE: content('message', 'image', { attachments: [{}] }),
  ERR_EMPTY_CUSTOM_DATA: content('custom', 'location', {}),
  ERR_INVALID_CUSTOM_DATA: content('custom', 'location', { customData: 7 }),
  ERR_INVALID_MESSAGE_DATA: content('interactive', 'form', {}),
  ERR_GROUP_NO_CLEARANCE: () => requireOwner(participant),
  ERR_GROUP_NO_SELF_ACTION: () => requireClearanceOver(participant, 'ann', 'participant'),
  ERR_TOO_MANY_REQUESTS: () => refuse(tooManyRequests('10000 a minute are allowed', 42)),
  ERR_PERMISSION_DENIED: () =>
    refuse(new Failure('ERR_PERMISSION_DENIED', { what: 'createGroup' })),
  ERR_FILE_QUOTA_EXCEEDED: () =>
    refuse(new Failure('ERR_FILE_QUOTA_EXCEEDED', { what: 'the user', most: 1_000_000_000 })),
  ERR_FILE_STORE_REFUSED: () =>
    refuse(new Failure('ERR_FILE_STORE_REFUSED', { objection: 'Access Denied' })),
  ERR_OPERATION_FAILED: () =>
    refuse(new Failure('ERR_OPERATION_FAILED', { what: 'Disable this rule instead.' })),
}

function refuse(failure: Failure): never {
  throw failure
}

/** As it goes out. */
export function shownFailure(code: ErrorCode): { message: string; devMessage: string } {
  const refused = refusals[code] ?? (() => refuse(new Failure(code, named)))
  const failure = failureOf(refused)
  const { message, devMessage } = failure
  if (failure.code !== code) throw new Error(`The sample of ${code} is refused: ${failure.code}.`)
  if (/\{\w+\}/.test(message + devMessage)) throw new Error(`${code} is not filled: ${message}`)
  return { message, devMessage }
}

// Details --------------------------------------------------------------------------------------------

interface Sent {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: object
  readonly lenient?: boolean
}

function read(name: keyof Api, { params = {}, query = {}, body, lenient = true }: Sent) {
  const operation = allOperations.get(name)
  if (!operation) throw new Error(`There is no ${name}.`)
  const given = { params, query, body: body && (() => structuredClone(body)), lenient }
  return validationOf(operation).input(given)
}

function callOf(name: keyof Api, { query, body }: Sent): string {
  const { method = '', path = '' } = allOperations.get(name) ?? {}
  const parameters = query ? `?${new URLSearchParams(Object.entries(query).map(asText))}` : ''
  const line = `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}${decodeURIComponent(parameters)}`
  return body ? `${line}\n${JSON.stringify(body)}` : line
}

function asText([name, value]: [string, unknown]): [string, string] {
  return [name, String(value)]
}

const wrongUser = {
  uid: 'ann@example.com',
  name: '',
  avatar: 'javascript:alert(1)',
  tags: [1.5],
  metadata: 'hello',
  withAuthToken: 'yes',
  statusMessage: { text: 'away' },
}

export function samplesOfDetails(): readonly Sample[] {
  const sample = (title: string, name: keyof Api, sent: Sent): Sample => ({
    title,
    sent: callOf(name, sent),
    failure: failureOf(() => read(name, sent)),
  })
  const raw = (title: string, body: string, type: string): Sample => ({
    title,
    sent: `content-type: ${type}\n\n${body}`,
    failure: failureOf(() => parseBody(Buffer.from(body), type, true)),
  })
  return [
    sample('A user without a name and a uid', 'createUser', { body: {} }),
    sample('A user with whom nearly all is wrong', 'createUser', { body: wrongUser }),
    sample('A list with parameters that cannot be', 'listUsers', {
      query: { perPage: 5000, page: 0, status: 'asleep', withTags: 'maybe', searchIn: 'age' },
    }),
    sample('Too much', 'createUser', {
      body: { uid: 'ann', name: 'Ann', tags: Array.from({ length: 26 }, (_, n) => `tag${n}`) },
    }),
    sample('A message without a receiver type that exists', 'sendMessage', {
      body: { receiver: 'bob', receiverType: 'room', data: { text: 'hi' } },
    }),
    sample('A value that may be of several kinds', 'markUserConversationRead', {
      params: { uid: 'bob' },
      body: { messageId: 'last' },
    }),
    sample('What clients write otherwise, with the setting `api.lenientInput` off', 'createUser', {
      body: { uid: 4711, name: 'Ann', metadata: '{}', withAuthToken: 1 },
      lenient: false,
    }),
    raw('A body that is no JSON', '{"uid": ann}', 'application/json'),
    raw('A body of another type', '<uid>ann</uid>', 'text/xml'),
    {
      title: 'A call for a user, without that user',
      sent: 'POST /messages',
      failure: badRequest('onBehalfOf', 'This header is required.'),
    },
  ]
}
