import { allOperations } from '@chorale/contract/api'
import { afterAll, describe, expect, test } from 'vitest'
import { errorOf, exchange, send, type WireRequest } from '../../../testing/src/network/wire.ts'
import { startBareService } from '../../../testing/src/service/bare-service.ts'
import { note } from '../../../testing/src/service/contract-coverage.ts'

const service = await startBareService()
afterAll(() => service[Symbol.asyncDispose]())
const { origin, management } = service
const app = await service.createApp('us')
const other = await service.createApp('eu')

const hostOf = ({ appId }: { appId: string }, region = 'us') => `${appId}.api-${region}.localhost`
const full = { host: hostOf(app), apikey: app.full }
const managed = { host: 'apimgmt.localhost', ...management }

const call = (request: WireRequest) => send(origin, request)
const asApp = (request: WireRequest) =>
  call({ ...request, headers: { ...full, ...request.headers } })
const post = (path: string, body: string | Buffer, headers: WireRequest['headers'] = {}) =>
  asApp({ method: 'POST', path, body, headers })
const codeOf = async (request: WireRequest) => errorOf(await call(request)).code

describe('addresses', () => {
  test('a success is 200 with a request id, also when something was created', async () => {
    const created = await post('/v3/users', '{"uid":"ada","name":"Ada"}')
    expect(created.status).toBe(200)
    expect(created.headers['content-type']).toMatch(/^application\/json\b/)
    expect(created.headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/)
    expect(JSON.parse(created.text)).toMatchObject({ data: { uid: 'ada' } })
  })

  test('/v3 and /v3.0 are the same version; a final slash changes nothing', async () => {
    for (const path of ['/v3/users', '/v3.0/users', '/v3/users/', '/v3.0/users/']) {
      expect((await asApp({ path })).status, path).toBe(200)
    }
  })

  test.each(['/v4/users', '/v2/users', '/v3.1/users', '/v30', '/v2'])(
    'an unknown version is named: %s',
    async (path) => {
      const error = errorOf(await asApp({ path }))
      expect(error.code).toBe('ERR_INVALID_API_VERSION')
      expect(error.message).toContain(path.split('/')[1])
    },
  )

  test.each(['/', '/v3', '/v3/', '/v3/nothing', '/users', '/v3/users/ada/nothing', '//'])(
    'an unknown route is not found: %s',
    async (path) => {
      const answer = await asApp({ path })
      expect(errorOf(answer).code).toBe('ERR_API_NOT_FOUND')
      expect(answer.status).toBe(404)
    },
  )

  test.each(['PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE'])(
    'a method that a known path does not have is not found: %s',
    async (method) => {
      const error = errorOf(await asApp({ method, path: '/v3/users' }))
      expect(error.code).toBe('ERR_API_NOT_FOUND')
      expect(error.message).toBe(`There is no ${method} /v3/users.`)
    },
  )

  test('HEAD answers as GET would, without the body', async () => {
    const found = await asApp({ method: 'HEAD', path: '/v3/users' })
    expect([found.status, found.text]).toEqual([200, ''])
    const missing = await asApp({ method: 'HEAD', path: '/v3/users/nobody' })
    expect([missing.status, missing.text]).toEqual([404, ''])
    const unknown = await asApp({ method: 'HEAD', path: '/v3/nothing' })
    expect([unknown.status, unknown.text]).toEqual([404, ''])
  })

  test('the query of an unknown route is not repeated to the caller', async () => {
    const error = errorOf(await asApp({ path: '/v3/nothing?apikey=abc' }))
    expect(error.message).toBe('There is no GET /v3/nothing.')
  })

  test.each(['/v3/users/%', '/v3/users/%zz', '/v3/users/%c3%28', '/v3/users/%ff'])(
    'a path that cannot be decoded is refused: %s',
    async (path) => {
      const answer = await asApp({ path })
      expect(errorOf(answer).code).toBe('ERR_BAD_REQUEST')
      expect(answer.status).toBe(400)
    },
  )
})

describe('the app', () => {
  const path = '/v3/users'

  test('is named by the host name, whatever its case, with and without a port', async () => {
    for (const host of [full.host, full.host.toUpperCase(), `${full.host}:3000`]) {
      expect((await call({ path, headers: { host, apikey: app.full } })).status, host).toBe(200)
    }
  })

  test('is named by the header appId where the host name does not', async () => {
    for (const host of ['localhost', 'api-us.localhost', '127.0.0.1:3000']) {
      const headers = { host, appId: app.appId, apikey: app.full }
      expect((await call({ path, headers })).status, host).toBe(200)
    }
  })

  test('is the one of the host name when the header names another', async () => {
    const headers = { host: hostOf(app), appId: other.appId, apikey: app.full }
    expect((await call({ path, headers })).status).toBe(200)
  })

  test('must be named', async () => {
    const headers = { host: 'localhost', apikey: app.full }
    expect(await codeOf({ path, headers })).toBe('AUTH_ERR_EMPTY_APPID')
    expect(await codeOf({ path, headers: { ...headers, appId: '' } })).toBe('AUTH_ERR_EMPTY_APPID')
  })

  test('must exist', async () => {
    for (const appId of ['nothing', "x' or 1=1", 'a'.repeat(5000), '\u00e9']) {
      const headers = { host: 'localhost', appId, apikey: app.full }
      expect(await codeOf({ path, headers }), appId).toBe('AUTH_ERR_INVALID_APPID')
    }
    const host = 'nothing.api-us.localhost'
    expect(await codeOf({ path, headers: { host } })).toBe('AUTH_ERR_INVALID_APPID')
  })

  test('lives in the region that the host name names', async () => {
    const headers = { host: hostOf(app, 'eu'), apikey: app.full }
    expect(await codeOf({ path, headers })).toBe('AUTH_ERR_INVALID_APPID')
    const right = { host: hostOf(other, 'eu'), apikey: other.full }
    expect((await call({ path, headers: right })).status).toBe(200)
  })

  test('answers nothing once it is archived', async () => {
    const doomed = await service.createApp('us')
    const headers = { host: hostOf(doomed), apikey: doomed.full }
    expect((await call({ path, headers })).status).toBe(200)
    const gone = await call({
      method: 'DELETE',
      path: `/apps/${doomed.appId}`,
      headers: managed,
    })
    expect(gone.status).toBe(200)
    expect(await codeOf({ path, headers })).toBe('AUTH_ERR_INVALID_APPID')
    const again = { method: 'DELETE', path: `/apps/${doomed.appId}`, headers: managed }
    expect(await codeOf(again)).toBe('ERR_APP_NOT_FOUND')
  })
})

describe('the key', () => {
  const path = '/v3/users'

  test('must be there', async () => {
    for (const headers of [{ host: full.host }, { host: full.host, apikey: '' }]) {
      const answer = await call({ path, headers })
      expect(errorOf(answer).code).toBe('AUTH_ERR_EMPTY_APIKEY')
      expect(answer.status).toBe(401)
    }
  })

  test('must be known; the answer shows its last four characters only', async () => {
    const apikey = 'abcdefghijklmnopqrstuvwxyz0123456789wxyz'
    const answer = await call({ path, headers: { host: full.host, apikey } })
    expect(answer.status).toBe(401)
    const error = errorOf(answer)
    expect(error.code).toBe('AUTH_ERR_APIKEY_NOT_FOUND')
    expect(error.message).toContain('********wxyz')
    expect(answer.text).not.toContain(apikey)
  })

  test('must be of this app', async () => {
    const headers = { host: full.host, apikey: other.full }
    expect(await codeOf({ path, headers })).toBe('AUTH_ERR_APIKEY_NOT_FOUND')
  })

  test('sent twice is two keys in one, and so unknown', async () => {
    const headers = { host: full.host, apikey: [app.full, app.full] }
    expect(await codeOf({ path, headers })).toBe('AUTH_ERR_APIKEY_NOT_FOUND')
  })

  test('of the scope authOnly creates users and auth tokens, and does nothing else', async () => {
    const headers = { host: full.host, apikey: app.auth }
    const allowed: string[] = []
    for (const [name, operation] of allOperations) {
      if (['management', 'session'].includes(operation.requires)) continue
      const path = `/v3${operation.path.replaceAll(/:\w+/g, 'nobody')}`
      const answer = await call({ method: operation.method, path, headers })
      if (errorOf(answer).code !== 'AUTH_ERR_NO_ACCESS') allowed.push(name)
      else expect(answer.status).toBe(403)
    }
    expect(allowed).toEqual(['createUser', 'createAuthToken'])
    const user = { method: 'POST', path: '/v3/users', body: '{"uid":"bob","name":"Bob"}', headers }
    expect((await call(user)).status).toBe(200)
    const token = { method: 'POST', path: '/v3/users/bob/auth_tokens', headers }
    expect((await call(token)).status).toBe(200)
  })
})

describe('management', () => {
  const path = '/apps'

  test('is reached by its host name where it has no port of its own', async () => {
    expect((await call({ path, headers: managed })).status).toBe(200)
    expect((await call({ path, headers: { ...managed, host: 'APIMGMT.x.org:80' } })).status).toBe(
      200,
    )
  })

  test('is not there under an app, under no name, or under a version', async () => {
    for (const host of [full.host, 'localhost', 'x.apimgmt.localhost', 'apimgmt']) {
      expect(await codeOf({ path, headers: { ...managed, host } }), host).toBe('ERR_API_NOT_FOUND')
    }
    expect(await codeOf({ path: '/v3/apps', headers: managed })).toBe('ERR_API_NOT_FOUND')
  })

  test('needs both credentials', async () => {
    const { key, secret } = management
    for (const headers of [{}, { key }, { secret }, { key: '', secret }, { key, secret: '' }]) {
      const answer = await call({ path, headers: { host: managed.host, ...headers } })
      expect(errorOf(answer).code).toBe('AUTH_ERR_EMPTY_AUTH_HEADER')
      expect(answer.status).toBe(401)
    }
  })

  test('refuses wrong credentials, and does not say which of the two is wrong', async () => {
    const wrong = [
      { key: management.key, secret: 'wrong' },
      { key: 'wrong', secret: management.secret },
      { key: '\u00e9', secret: '\u00e9' },
    ]
    const answers = await Promise.all(
      wrong.map((pair) => call({ path, headers: { host: managed.host, ...pair } })),
    )
    const errors = answers.map(errorOf)
    expect(new Set(errors.map(({ code }) => code))).toEqual(
      new Set(['AUTH_ERR_MANAGEMENT_KEY_NOT_FOUND']),
    )
    expect(new Set(errors.map(({ message }) => message)).size).toBe(1)
  })

  test('is not opened by an API key', async () => {
    const headers = { host: managed.host, appId: app.appId, apikey: app.full }
    expect(await codeOf({ path, headers })).toBe('AUTH_ERR_EMPTY_AUTH_HEADER')
  })
})

describe('the body', () => {
  const user = '{"uid":"x","name":"x"}'
  const objections = async (body: string | Buffer, headers: WireRequest['headers'] = {}) => {
    const answer = await post('/v3/users', body, headers)
    const error = errorOf(answer)
    expect([answer.status, error.code]).toEqual([400, 'ERR_BAD_REQUEST'])
    return Object.keys(error.details ?? {})
  }

  test.each(['{', '{"uid":}', 'uid=x', '{"uid":"x"}}', "{'uid':'x'}", 'NaN', '{"a":1,}'])(
    'must be JSON: %j',
    async (body) => expect(await objections(body)).toEqual(['body']),
  )

  test.each(['1', 'true', '"text"', '[{"uid":"x","name":"x"}]'])(
    'must be an object: %s',
    async (body) => expect(await objections(body)).toEqual(['body']),
  )

  test.each(['text/plain', 'multipart/form-data', 'json'])(
    'must be sent as JSON or as a form, not as %j',
    async (type) => {
      expect(await objections(user, { 'content-type': type })).toEqual(['content-type'])
    },
  )

  test('may say its character set', async () => {
    const type = 'Application/JSON; charset=UTF-8'
    const body = '{"uid":"charset","name":"x"}'
    expect((await post('/v3/users', body, { 'content-type': type })).status).toBe(200)
  })

  test('must be UTF-8', async () => {
    for (const bytes of [
      [0xff],
      [0xc3, 0x28],
      [0xed, 0xa0, 0x80],
      [0xf8, 0x88, 0x80, 0x80, 0x80],
    ]) {
      const head = Buffer.from('{"uid":"x","name":"')
      const body = Buffer.concat([head, Buffer.from(bytes), Buffer.from('"}')])
      expect(await objections(body)).toEqual(['body'])
    }
  })

  test('has no NUL, no half of a character, no __proto__, no number that loses digits', async () => {
    expect(await objections('{"uid":"x","name":"a\\u0000b"}')).toEqual(['name'])
    expect(await objections('{"uid":"x","name":"\\ud800"}')).toEqual(['name'])
    expect(await objections('{"uid":"x","name":"x","__proto__":{"a":1}}')).toEqual(['body'])
    expect(await objections('{"uid":"x","name":"x","metadata":{"__proto__":1}}')).toEqual(['body'])
    expect(await objections('{"uid":"x","name":"x","metadata":{"n":1e400}}')).toEqual(['metadata'])
    expect(await objections('{"uid":"x","name":"x","metadata":{"n":9007199254740993}}')).toEqual([
      'metadata',
    ])
  })

  test('nests so deep and no deeper', async () => {
    const nested = (levels: number, uid: string) =>
      `{"uid":"${uid}","name":"x","metadata":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}}`
    expect((await post('/v3/users', nested(30, 'deep'))).status).toBe(200)
    expect(await objections(nested(31, 'deeper'))).toEqual(['body'])
    expect(await objections(nested(200_000, 'bottomless'))).toEqual(['body'])
  })

  test('is at most a mebibyte, announced or not', async () => {
    const head =
      `POST /v3/users HTTP/1.1\r\nHost: ${full.host}\r\napikey: ${app.full}\r\n` +
      'Content-Type: application/json\r\n'
    const announced = await exchange(origin, `${head}Content-Length: 1048577\r\n\r\n`)
    expect(errorOf(announced).details).toEqual({ body: ['The body is too large.'] })
    const chunk = 'x'.repeat(1_048_577)
    const size = chunk.length.toString(16)
    const chunked = `${head}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n${size}\r\n${chunk}`
    expect(errorOf(await exchange(origin, chunked)).details).toEqual({
      body: ['The body is too large.'],
    })
    const fits = `{"uid":"x","name":"${'x'.repeat(1_048_000)}"}`
    expect(await objections(fits)).toEqual(['name'])
  })

  test('may come with DELETE, and may be left out', async () => {
    await post('/v3/users', '{"uid":"gone","name":"x"}')
    const body = '{"permanent":true}'
    const deleted = await asApp({ method: 'DELETE', path: '/v3/users/gone', body })
    expect(JSON.parse(deleted.text).data.message).toContain('for ever')
    await post('/v3/users', '{"uid":"gone","name":"x"}')
    expect((await asApp({ method: 'DELETE', path: '/v3/users/gone' })).status).toBe(200)
  })

  test('is not read before the caller is known', async () => {
    const headers = { host: full.host, apikey: 'wrong' }
    const stranger = { method: 'POST', path: '/v3/users', body: '{', headers }
    expect(await codeOf(stranger)).toBe('AUTH_ERR_APIKEY_NOT_FOUND')
  })

  test('that is wrong in a field says which', async () => {
    const error = errorOf(await post('/v3/users', '{"uid":"a b"}'))
    expect(Object.keys(error.details ?? {})).not.toEqual([])
  })
})

describe('bytes', () => {
  const host = `Host: ${full.host}\r\napikey: ${app.full}\r\n`

  test.each([
    ['not HTTP at all', 'garbage\r\n\r\n'],
    ['a TLS greeting', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03])],
    ['an unknown method', `BREW /v3/users HTTP/1.1\r\n${host}\r\n`],
    ['a header without a colon', `GET /v3/users HTTP/1.1\r\n${host}nonsense\r\n\r\n`],
    ['a NUL in a header', `GET /v3/users HTTP/1.1\r\n${host}x: a\0b\r\n\r\n`],
    [
      'two lengths',
      `POST /v3/users HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}`,
    ],
    [
      'a length and chunks',
      `POST /v3/users HTTP/1.1\r\n${host}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
    ],
    ['a negative length', `POST /v3/users HTTP/1.1\r\n${host}Content-Length: -1\r\n\r\n{}`],
    ['a bad chunk', `POST /v3/users HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
  ])('that are %s are refused with the error body', async (_, bytes) => {
    const answer = await exchange(origin, bytes)
    expect([answer.status, errorOf(answer).code]).toEqual([400, 'ERR_BAD_REQUEST'])
  })

  test('headers of more than 16 KB are refused with 431', async () => {
    const bytes = `GET /v3/users HTTP/1.1\r\n${host}x: ${'a'.repeat(100_000)}\r\n\r\n`
    const answer = await exchange(origin, bytes)
    expect([answer.status, errorOf(answer).code]).toEqual([431, 'ERR_HEADERS_TOO_LARGE'])
    note('listUsers', 'ERR_HEADERS_TOO_LARGE')
  })

  test('headers that do not end within 10 s are refused with 408', {
    timeout: 90_000,
  }, async () => {
    const answer = await exchange(origin, `GET /v3/users HTTP/1.1\r\n${host}`, 60_000)
    expect([answer.status, errorOf(answer).code]).toEqual([408, 'ERR_REQUEST_TIMEOUT'])
    note('listUsers', 'ERR_REQUEST_TIMEOUT')
  })

  test('without a host name are a request without an app', async () => {
    const answer = await exchange(origin, 'GET /v3/users HTTP/1.1\r\nConnection: close\r\n\r\n')
    expect(errorOf(answer).code).toBe('AUTH_ERR_EMPTY_APPID')
  })

  test('that expect the unexpected get the answer all the same', async () => {
    const close = 'Connection: close\r\n'
    const odd = `GET /v3/users HTTP/1.1\r\n${host}${close}Expect: miracles\r\n\r\n`
    expect((await exchange(origin, odd)).status).toBe(200)
    const upgrade = `GET /v3/nothing HTTP/1.1\r\n${host}Connection: Upgrade, close\r\nUpgrade: x\r\n\r\n`
    expect(errorOf(await exchange(origin, upgrade)).code).toBe('ERR_API_NOT_FOUND')
  })
})
