import { afterAll, describe, expect } from 'vitest'
import {
  failure,
  refusal,
  statementsOf,
  without,
} from '../../../testing/src/requests/statements.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
const { hold } = statementsOf(app)
await app.given.users('ada', 'bob')
await app.given.group('team', { owner: 'ada' })

const user = (uid: unknown, more: object = {}) => ({ json: { uid, name: 'Sam', ...more } })
const token = { data: { uid: 'ada', authToken: expect.any(String) } }
const json = { 'content-type': 'application/json' }
const tokens = 'POST /users/ada/auth_tokens'
const isPrivate = { '@private': { email: 'a@b.example', contactNumber: '0123456789' } }

describe('sign-up', () => {
  hold([
    [
      ...(['with a token', 'POST /users'] as const),
      user('s1', { withAuthToken: true, metadata: isPrivate }),
      ...([200, { data: { metadata: isPrivate, authToken: expect.any(String) } }] as const),
    ],
    ['twice', 'POST /users', user('s1'), 400, failure('ERR_UID_ALREADY_EXISTS')],
    ['a number for a uid', 'POST /users', user(814254646), 200, { data: { uid: '814254646' } }],
    ['a number for a name', 'POST /users', user('s2', { name: 42 }), 200, { data: { name: '42' } }],
    [
      'null for no avatar',
      'POST /users',
      user('s3', { avatar: null }),
      200,
      { data: without('avatar') },
    ],
    [
      '"" for no links',
      'POST /users',
      user('s4', { avatar: '', link: '' }),
      200,
      { data: without('link') },
    ],
    [
      'a path for an avatar',
      'POST /users',
      user('s5', { avatar: '/img/a.png' }),
      400,
      refusal('avatar'),
    ],
    [
      ...(['a link with a space and an accent', 'POST /users'] as const),
      user('s6', { avatar: 'https://cdn.example/My Photo é.png' }),
      ...([200, { data: { avatar: 'https://cdn.example/My%20Photo%20%C3%A9.png' } }] as const),
    ],
    [
      'metadata as text',
      'POST /users',
      user('s7', { metadata: '{"a":1}' }),
      200,
      { data: { metadata: { a: 1 } } },
    ],
    [
      '[] of PHP',
      'POST /users',
      user('s8', { metadata: [], tags: [] }),
      200,
      { data: { metadata: {} } },
    ],
    [
      'tags with commas',
      'POST /users',
      user('s9', { tags: 'a,b' }),
      200,
      { data: { tags: ['a', 'b'] } },
    ],
    [
      'a role that is not there',
      'POST /users',
      user('s10', { role: 'Teacher' }),
      400,
      refusal('role'),
    ],
    [
      'a role in capitals',
      'POST /users',
      user('s11', { role: 'DEFAULT' }),
      200,
      { data: { role: 'default' } },
    ],
    [
      ...(['"true" for true', 'POST /users', user('s12', { withAuthToken: 'true' }), 200] as const),
      { data: { authToken: expect.any(String) } },
    ],
    [
      ...(['1 for true', 'POST /users', user('s13', { withAuthToken: 1 }), 200] as const),
      { data: { authToken: expect.any(String) } },
    ],
    ['a uid in capitals', 'POST /users', user('UPPER'), 200, { data: { uid: 'upper' } }],
    ['asked for in capitals', 'GET /users/UPPER', {}, 200, { data: { uid: 'upper' } }],
    [
      'acting in capitals',
      'GET /users/ada',
      { as: 'BOB' },
      200,
      { data: { conversationId: 'ada_user_bob' } },
    ],
    ['an e-mail address for a uid', 'POST /users', user('ann@example.com'), 400, refusal('uid')],
    ['a bar in a uid', 'POST /users', user('auth0|5f7c'), 400, refusal('uid')],
    [
      'fields that nobody knows',
      'POST /users',
      user('s14', { email: 'a@b.c' }),
      200,
      { data: without('email') },
    ],
    ['uid and name are ""', 'POST /users', user('', { name: '' }), 400, refusal('uid', 'name')],
    ['nothing at all', 'POST /users', { json: {} }, 400, refusal('uid', 'name')],
  ])
})

describe('a token', () => {
  hold([
    ['no body, but its type', tokens, { headers: json }, 200, token],
    ['a body of no length', tokens, { headers: { ...json, 'content-length': '0' } }, 200, token],
    ['null for a body', tokens, { text: 'null' }, 200, token],
    ['[] of PHP for a body', tokens, { text: '[]' }, 200, token],
    ['"true" for true', tokens, { json: { force: 'true' } }, 200, token],
    ['true', tokens, { json: { force: true } }, 200, token],
    ['without force', tokens, { json: {} }, 200, token],
    [
      'of nobody',
      'POST /users/nobody/auth_tokens',
      { json: {} },
      404,
      failure('ERR_UID_NOT_FOUND'),
    ],
    [
      'deleted, but not there',
      'DELETE /users/ada/auth_tokens/nope',
      {},
      404,
      failure('ERR_AUTH_TOKEN_NOT_FOUND'),
    ],
  ])
})

describe('a body', () => {
  const form = 'application/x-www-form-urlencoded'
  const body = (uid: string) => JSON.stringify({ uid, name: 'Sam' })
  const made = (uid: string) => ({ data: { uid, name: 'Sam' } })
  const part =
    '--x\r\nContent-Disposition: form-data; name="uid"\r\n\r\nmp1\r\n--x\r\n' +
    'Content-Disposition: form-data; name="name"\r\n\r\nSam\r\n--x--\r\n'
  hold([
    ['of a form', 'POST /users', { text: 'uid=f1&name=Sam', type: form }, 200, made('f1')],
    [
      'of a form with parts',
      'POST /users',
      { text: part, type: 'multipart/form-data; boundary=x' },
      200,
      made('mp1'),
    ],
    [
      'in the query',
      'POST /users?uid=f2&name=Sam',
      { headers: { 'content-type': form } },
      400,
      refusal('uid'),
    ],
    ['without a type', 'POST /users', { text: body('f3'), type: '' }, 200, made('f3')],
    [
      'as plain text',
      'POST /users',
      { text: body('f4'), type: 'text/plain;charset=UTF-8' },
      400,
      refusal('content-type'),
    ],
    [
      'with a character set',
      'POST /users',
      { text: body('f5'), type: 'application/json; charset=utf-8' },
      200,
      made('f5'),
    ],
    [
      'of a type of its own',
      'POST /users',
      { text: body('f6'), type: 'application/vnd.api+json' },
      400,
      refusal('content-type'),
    ],
    ['with a byte order mark', 'POST /users', { text: `\ufeff${body('f7')}` }, 200, made('f7')],
    [
      'of GET is not looked at',
      'GET /users?perPage=1',
      { json: { page: 2 } },
      200,
      { meta: { pagination: { current_page: 1 } } },
    ],
    [
      'that is missing',
      'DELETE /messages/1',
      { headers: json },
      404,
      failure('ERR_MESSAGE_ID_NOT_FOUND'),
    ],
  ])
})

describe('an address', () => {
  const page = { meta: { pagination: { per_page: 1 } } }
  const { appId, keys } = app
  const apart = (headers: Record<string, string | undefined>) => ({
    host: 'api-us.chat.example',
    headers: { apikey: undefined, ...headers },
  })
  const noKey = { apikey: undefined }
  const empty = failure('AUTH_ERR_EMPTY_APIKEY')
  hold([
    ['with a slash behind it', 'GET /users/?perPage=1', {}, 200, page],
    ['with two slashes', 'GET //users?perPage=1', {}, 200],
    ['of v3.0', 'GET /v3.0/users?perPage=1', {}, 200, page],
    ['of v2.0', 'GET /v2.0/users?perPage=1', {}, 404, failure('ERR_INVALID_API_VERSION')],
    [
      'of no app, which a header names',
      'GET /users?perPage=1',
      apart({ appId, apiKey: keys.full }),
      200,
      page,
    ],
    ['with appID', 'GET /users?perPage=1', apart({ appID: appId, APIKEY: keys.full }), 200, page],
    [
      'of a region in capitals',
      'GET /users?perPage=1',
      { host: `${appId}.api-US.chat.example` },
      200,
      page,
    ],
    [
      ...(['for client SDKs', 'GET /me'] as const),
      { host: `${appId}.apiclient-us.chat.example`, headers: { ...noKey, authToken: 'x' } },
      ...([401, failure('AUTH_ERR_AUTH_TOKEN_NOT_FOUND')] as const),
    ],
    ['that no call has', 'GET /userss', {}, 404, failure('ERR_API_NOT_FOUND')],
    [
      'for users, by POST',
      'POST /users/ada',
      { json: { name: 'x' } },
      200,
      { data: { name: 'x' } },
    ],
    [
      'for users, by PATCH',
      'PATCH /users/ada',
      { json: { name: 'y' } },
      200,
      { data: { name: 'y' } },
    ],
    [
      'with another method in it',
      'POST /users/ada?_method=PUT',
      { json: {} },
      200,
      { data: { uid: 'ada' } },
    ],
    ['asked for its head', 'HEAD /users/ada', {}, 200],
    [
      'for a page that wants HTML',
      'GET /users?perPage=1',
      { headers: { accept: 'text/html' } },
      200,
      page,
    ],
    [
      'with the key as a bearer',
      'GET /users',
      { headers: { ...noKey, authorization: `Bearer ${keys.full}` } },
      401,
      empty,
    ],
    ['with the key in it', `GET /users?apikey=${keys.full}`, { headers: noKey }, 401, empty],
    ['with api_key', 'GET /users', { headers: { ...noKey, api_key: keys.full } }, 401, empty],
    ['on behalf of nobody', 'GET /users?perPage=1', { headers: { onBehalfOf: '' } }, 200, page],
    [
      'with on-behalf-of',
      'GET /conversations/group_team',
      { headers: { 'on-behalf-of': 'ada' } },
      400,
      refusal('onBehalfOf'),
    ],
    ['of me, with a key', 'GET /me', {}, 403, failure('AUTH_ERR_NO_ACCESS')],
    [
      ...(['of pages that would call with a key', 'OPTIONS /users'] as const),
      {
        headers: {
          ...noKey,
          origin: 'https://shop.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'apikey,content-type,onbehalfof',
        },
      },
      ...([
        204,
        { headers: { 'access-control-allow-headers': expect.not.stringMatching(/apikey/i) } },
      ] as const),
    ],
  ])
})
