import { once } from 'node:events'
import { connect } from 'node:net'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { send } from '../../../testing/src/network/wire.ts'
import { startBareService } from '../../../testing/src/service/bare-service.ts'
import type { AppKeys } from '../../../testing/src/service/test-app.ts'

const lines: Record<string, unknown>[] = []
const log = pino(
  { level: 'info', base: null },
  new Writable({
    write(text, _, done) {
      lines.push(JSON.parse(String(text)))
      done()
    },
  }),
)
const service = await startBareService({ log, gateway: true })
afterAll(() => service[Symbol.asyncDispose]())
const { origin, management } = service
const wait = { timeout: 15_000 }

let keys: AppKeys
let authToken: string
beforeAll(async () => {
  keys = await service.createApp()
  const post = async (path: string, body: object) => {
    const headers = { appId: keys.appId, apikey: keys.full }
    const { text } = await send(origin, {
      method: 'POST',
      path,
      headers,
      body: JSON.stringify(body),
    })
    return JSON.parse(text).data
  }
  await post('/v3/users', { uid: 'ada', name: 'Ada' })
  authToken = (await post('/v3/users/ada/auth_tokens', {})).authToken
})

/** The line of the call that was answered with this id. */
async function lineOf(requestId: unknown) {
  await expect.poll(() => lines.find((line) => line.requestId === requestId), wait).toBeDefined()
  return lines.find((line) => line.requestId === requestId)
}

async function lineAfter(path: string, headers: Record<string, string>) {
  const answer = await send(origin, { path, headers: { appId: keys.appId, ...headers } })
  return lineOf(answer.headers['x-request-id'])
}

test('M7: the line of a call tells who called, from where, with which key', async () => {
  const address = '127.0.0.1'
  expect(await lineAfter('/v3/users', { apikey: keys.full })).toMatchObject({
    operation: 'listUsers',
    status: 200,
    address,
    caller: 'key',
    appId: keys.appId,
    key: expect.any(String),
    keyId: keys.full.slice(-4),
  })
  const onBehalf = await lineAfter('/v3/users', { apikey: keys.full, onBehalfOf: 'ada' })
  expect(onBehalf).toMatchObject({ caller: 'key', uid: 'ada' })
  expect(await lineAfter('/v3/me', { authToken })).toMatchObject({
    operation: 'getMe',
    address,
    caller: 'device',
    appId: keys.appId,
    uid: 'ada',
  })
  const headers = { host: 'apimgmt.localhost', ...management }
  expect(await lineAfter('/apps', headers)).toMatchObject({
    operation: 'listApps',
    address,
    caller: 'management',
    keyId: management.key,
  })
})

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`

test('the request id and the trace of a caller are in its log line and in its answer', async () => {
  const headers = { appId: keys.appId, apikey: keys.full }
  const ask = (named: Record<string, string>) =>
    send(origin, { path: '/v3/users', headers: { ...headers, ...named } })
  const answer = await ask({ 'x-request-id': 'shop/7:a', traceparent })
  expect(answer.headers).toMatchObject({ 'x-request-id': 'shop/7:a', traceparent })
  expect(await lineOf('shop/7:a')).toMatchObject({ operation: 'listUsers', traceId })
})

test('a request id or a trace that could not be trusted in a log is not taken over', async () => {
  const headers = { appId: keys.appId, apikey: keys.full }
  for (const id of ['with space', '{"level":60}', 'x'.repeat(129), '']) {
    const named = { 'x-request-id': id, traceparent: `${traceparent}-${id}` }
    const answer = await send(origin, { path: '/v3/users', headers: { ...headers, ...named } })
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/)
    expect(answer.headers).not.toHaveProperty('traceparent')
    expect(await lineOf(answer.headers['x-request-id'])).not.toHaveProperty('traceId')
  }
})

test('M7: the line of a refusal has its code, and the app only as what was claimed', async () => {
  const wrong = await lineAfter('/v3/users', { apikey: 'f'.repeat(40) })
  expect(wrong).toMatchObject({
    status: 401,
    code: 'AUTH_ERR_APIKEY_NOT_FOUND',
    claimedAppId: keys.appId,
  })
  expect(wrong).not.toHaveProperty('appId')
  expect(await lineAfter('/v3/users', { authToken: keys.full })).toMatchObject({
    status: 401,
    code: 'AUTH_ERR_AUTH_TOKEN_NOT_FOUND',
  })
  expect(await lineAfter('/v3/users/ada', { apikey: keys.auth })).toMatchObject({
    status: 403,
    code: 'AUTH_ERR_NO_ACCESS',
    appId: keys.appId,
    caller: 'key',
  })
})

test('M7: an upload that its client gave up is nobody else’s error', async () => {
  const { hostname, port } = new URL(origin)
  const before = lines.length
  const socket = connect({ host: hostname, port: Number(port) })
  await once(socket, 'connect')
  const head = `POST /v3/users HTTP/1.1\r\nHost: localhost\r\nappId: ${keys.appId}\r\n`
  socket.write(
    `${head}apikey: ${keys.full}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n`,
  )
  socket.write('Content-Length: 1000\r\n\r\n')
  // Whoever is told to go on is known, and its body is being read.
  await once(socket, 'data')
  socket.write('{"uid": "half')
  socket.resetAndDestroy()
  const line = () => lines.slice(before).find(({ operation }) => operation === 'createUser')
  await expect
    .poll(line, wait)
    .toMatchObject({ msg: 'request aborted', address: '127.0.0.1', appId: keys.appId })
  expect(lines.slice(before).filter(({ level }) => Number(level) >= 40)).toEqual([])
})

/** Signs in over a WebSocket. */
async function signIn(token: string) {
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/v3/realtime?appId=${keys.appId}`)
  await new Promise((resolve) => socket.addEventListener('open', resolve))
  const heard: string[] = []
  socket.addEventListener('message', ({ data }) => heard.push(String(data)))
  socket.send(JSON.stringify({ type: 'auth', authToken: token }))
  return { socket, heard }
}

test('M7: sign-ins over a socket, calls and closes have lines', async () => {
  const { socket, heard } = await signIn(authToken)
  await expect.poll(() => heard.join(), wait).toContain('welcome')
  const call = { type: 'call', id: '1', operation: 'listUsers' }
  socket.send(JSON.stringify(call))
  socket.send(JSON.stringify({ ...call, id: '2', operation: 'deleteUser' }))
  await expect.poll(() => heard.join(), wait).toContain('refusal')
  socket.close()
  const who = { over: 'websocket', address: '127.0.0.1', appId: keys.appId, uid: 'ada' }
  const found = () => lines.filter(({ over, uid }) => over === 'websocket' && uid === 'ada')
  await expect.poll(() => found().map(({ msg }) => msg), wait).toContain('connection closed')
  expect(found()).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ ...who, msg: 'signed in' }),
      expect.objectContaining({ ...who, operation: 'listUsers', status: 200 }),
      expect.objectContaining({ ...who, operation: 'deleteUser', code: 'AUTH_ERR_NO_ACCESS' }),
      expect.objectContaining({ ...who, msg: 'connection closed', reason: 'client' }),
    ]),
  )
})

test('M7: a sign-in that is refused has a line, and so has its close', async () => {
  await signIn('wrong-token')
  const claimed = { claimedAppId: keys.appId, address: '127.0.0.1' }
  const found = () => lines.filter(({ claimedAppId, over }) => over && claimedAppId)
  await expect.poll(() => found().length, wait).toBeGreaterThanOrEqual(2)
  expect(found()).toEqual([
    expect.objectContaining({ ...claimed, code: 'AUTH_ERR_AUTH_TOKEN_NOT_FOUND' }),
    expect.objectContaining({ ...claimed, reason: 'notAuthenticated' }),
  ])
})

test('an upgrade that is refused has a line with the address and the reason', async () => {
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/v3/nowhere`)
  await new Promise((resolve) => socket.addEventListener('error', resolve))
  const refused = { msg: 'connection refused', over: 'websocket', address: '127.0.0.1' }
  await expect
    .poll(() => lines, wait)
    .toContainEqual(expect.objectContaining({ ...refused, reason: 'notFound' }))
  const page = (await send(service.operationsOrigin, { path: '/metrics' })).text
  expect(page).toContain('chorale_gateway_refused_total{reason="notFound"} 1')
  expect(page).toContain('chorale_gateway_refused_total{reason="AUTH_ERR_AUTH_TOKEN_NOT_FOUND"} 1')
})

test('M7: no line has a key, a token or a secret in it', async () => {
  const all = JSON.stringify(lines)
  for (const secret of [keys.full, keys.auth, authToken, management.secret]) {
    expect(all).not.toContain(secret)
  }
})
