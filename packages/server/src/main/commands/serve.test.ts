import { setTimeout as after } from 'node:timers/promises'
import { afterAll, describe, expect, inject, test, vi } from 'vitest'
import { cloneDatabase } from '../../../../testing/src/engines/test-database.ts'
import { startTcpBalancer } from '../../../../testing/src/network/tcp-balancer.ts'
import { startTcpProxy } from '../../../../testing/src/network/tcp-proxy.ts'
import { send } from '../../../../testing/src/network/wire.ts'
import {
  choraleJson,
  type Serving,
  settingsFor,
  startSaying,
  startServing,
} from '../../../../testing/src/processes/program.ts'

// A process takes its time to start.
vi.setConfig({ testTimeout: 120_000 })

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const settings = settingsFor(stack.use(await cloneDatabase()).url)
const { appId, apiKeys } = await choraleJson<{
  appId: string
  apiKeys: { fullAccess: string; authOnly: string }
}>(settings, 'app', 'create', '--name', 'Test')
const headers = { appId, apikey: apiKeys.fullAccess }
const wait = { timeout: 15_000 }

async function readiness({ operationsOrigin }: Serving) {
  const { status, text } = await send(operationsOrigin, { path: '/readyz' })
  return { status, ...JSON.parse(text) }
}
const engines = { database: 'ok', migrations: 'ok', nats: 'ok', consumers: 'ok', process: 'ok' }
const ready = { status: 200, ready: true, degraded: false, ...engines }
const natsAway = { ...ready, degraded: true, nats: 'NATS is away.', consumers: expect.any(String) }

describe('a process that serves', async () => {
  const serving = stack.use(await startServing({ ...settings, LOG_LEVEL: 'trace' }))
  const get = (path: string) => send(serving.origin, { path })
  const ask = (path: string) => send(serving.operationsOrigin, { path })

  test('is alive, and ready when its engines answer', async () => {
    const { status, text } = await ask('/healthz')
    expect([status, JSON.parse(text)]).toEqual([200, { status: 'ok', version: expect.any(String) }])
    await expect.poll(() => readiness(serving), wait).toEqual(ready)
  })

  test('shows its documentation and the contract', async () => {
    const docs = await get('/docs')
    expect([docs.status, docs.headers['content-type']]).toEqual([200, 'text/html'])
    expect(docs.text).toContain('/docs/reference.js')
    const script = await get('/docs/reference.js')
    expect([script.status, script.text.length > 100_000]).toEqual([200, true])
    const contract = await get('/openapi.json')
    expect(contract.headers['content-type']).toMatch(/^application\/json/)
    expect(JSON.parse(contract.text)).toMatchObject({
      openapi: '3.1.0',
      paths: { '/users': { post: { operationId: 'createUser' } } },
    })
  })

  test('measures requests by operation, and tells nobody which app made them', async () => {
    expect((await send(serving.origin, { path: '/v3/users', headers })).status).toBe(200)
    const counted = /^chorale_requests_total\{operation="listUsers",status="200"\} \d+$/m
    await expect.poll(async () => (await ask('/metrics')).text, wait).toMatch(counted)
    const { status, headers: answered, text } = await ask('/metrics')
    expect([status, answered['content-type']]).toEqual([200, expect.stringMatching(/^text\/plain/)])
    expect(text).toMatch(
      /^chorale_request_duration_seconds_bucket\{le="[\d.]+",operation="listUsers"\} \d+$/m,
    )
    expect(text).toMatch(/^chorale_database_connections\{pool="foreground",state="idle"\} \d+$/m)
    expect(text).not.toContain(appId)
  })

  test('never writes a secret to its log', async () => {
    const pair = await choraleJson<{ key: string; secret: string }>(
      settings,
      ...['management-key', 'create', '--name', 'x'],
    )
    const call = (method: string, path: string, body?: object, more = {}) =>
      send(serving.origin, {
        method,
        path,
        headers: { ...headers, ...more },
        body: body && JSON.stringify(body),
      })
    const user = { uid: 'ada', name: 'Ada', withAuthToken: true }
    const { authToken }: { authToken: string } = JSON.parse(
      (await call('POST', '/v3/users', user)).text,
    ).data
    const wrong = 'f'.repeat(40)
    for (const token of [authToken, `ada_${wrong}`]) {
      for (const path of ['/v3/users/ada', '/v3/users/nobody', '/v4/users/ada', '/v3/nothing']) {
        await call('GET', `${path}/auth_tokens/${token}?token=${token}`)
        await call('PUT', `${path}/auth_tokens/${token}`, { platform: 'web', authToken: token })
        await call('PURGE', `${path}/auth_tokens/${token}`)
      }
    }
    await call('GET', `/v3/apikeys/${apiKeys.authOnly}`)
    await call('GET', `/v3/users?apikey=${wrong}`, undefined, { apikey: wrong })
    await call('DELETE', `/v3/users/ada/auth_tokens/${authToken}`, { password: wrong })
    const management = { host: 'apimgmt.localhost', ...pair }
    expect((await call('GET', '/apps', undefined, management)).status).toBe(200)
    expect((await call('GET', '/apps', undefined, { ...management, secret: wrong })).status).toBe(
      401,
    )
    await serving.said('"operation":"listApps","status":401')
    const secrets = [
      ...Object.values(apiKeys),
      authToken,
      wrong,
      pair.secret,
      settings.CHORALE_MASTER_KEY ?? '',
    ]
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(20)
      expect(serving.output()).not.toContain(secret)
    }
    expect(serving.output()).toContain(appId)
  })

  test('writes one line of JSON per request, by which it can be found', async () => {
    const answer = await send(serving.origin, { path: '/v3/users', headers })
    const requestId = String(answer.headers['x-request-id'])
    await serving.said(requestId)
    const line = serving
      .output()
      .split('\n')
      .filter((one) => one.includes(requestId))
    expect(line).toHaveLength(1)
    expect(JSON.parse(line[0] ?? '')).toMatchObject({
      operation: 'listUsers',
      status: 200,
      appId,
      requestId,
    })
  })
})

describe('when NATS is away', () => {
  test('reliability 5: REST goes on, and the process is ready, but degraded until NATS is back', async () => {
    await using proxy = await startTcpProxy(inject('natsUrl'))
    await using serving = await startServing({ ...settings, NATS_URL: proxy.url })
    await expect.poll(() => readiness(serving), wait).toEqual(ready)
    await proxy.close()
    await expect.poll(() => readiness(serving), wait).toEqual(natsAway)
    const measured = async () => (await send(serving.operationsOrigin, { path: '/metrics' })).text
    expect(await measured()).toContain('\nchorale_nats_connected 0\n')
    expect((await send(serving.origin, { path: '/v3/users', headers })).status).toBe(200)
    expect((await send(serving.operationsOrigin, { path: '/healthz' })).status).toBe(200)
    await proxy.open()
    await expect.poll(() => readiness(serving), wait).toEqual(ready)
    expect(await measured()).toContain('\nchorale_nats_connected 1\n')
  })

  test('a process starts all the same, and can be stopped before NATS ever came', async () => {
    await using proxy = await startTcpProxy(inject('natsUrl'))
    await proxy.close()
    await using serving = await startServing({ ...settings, NATS_URL: proxy.url })
    expect(await readiness(serving)).toEqual(natsAway)
    expect((await send(serving.origin, { path: '/v3/users', headers })).status).toBe(200)
    serving.signal('SIGTERM')
    expect(await serving.ended).toBe(0)
  })

  test('a process that started without NATS is no longer degraded when it comes', async () => {
    await using proxy = await startTcpProxy(inject('natsUrl'))
    await proxy.close()
    await using serving = await startServing({ ...settings, NATS_URL: proxy.url })
    await proxy.open()
    await expect.poll(() => readiness(serving), wait).toEqual(ready)
  })
})

test('a process whose database goes away is alive, not ready, and names what is missing', async () => {
  await using proxy = await startTcpProxy(settings.DATABASE_URL ?? '')
  await using serving = await startServing({ ...settings, DATABASE_URL: proxy.url })
  await expect.poll(() => readiness(serving), wait).toEqual(ready)
  await proxy.close()
  const { status, database, nats } = await readiness(serving)
  expect([status, nats]).toEqual([503, 'ok'])
  expect(database).not.toBe('ok')
  expect((await send(serving.operationsOrigin, { path: '/healthz' })).status).toBe(200)
  await proxy.open()
  await expect.poll(() => readiness(serving), wait).toEqual(ready)
})

describe('a process that starts while no server takes writes', async () => {
  // As a balancer does that knows no primary: it takes connections, and ends them.
  const nowhere = 'tcp://127.0.0.1:1'
  const { host } = new URL(settings.DATABASE_URL ?? '')
  const through = (origin: string) => {
    const url = new URL(settings.DATABASE_URL ?? '')
    url.host = new URL(origin).host
    return { ...settings, DATABASE_URL: url.href }
  }

  test('says so, and starts when one does', async () => {
    const targets = [nowhere]
    await using balancer = await startTcpBalancer(targets)
    const starting = startServing(through(balancer.origin))
    await after(3000)
    targets[0] = `tcp://${host}`
    await using serving = await starting
    await expect.poll(() => readiness(serving), wait).toEqual(ready)
    expect(serving.output()).toContain('the database takes no writes yet')
  })

  test('can be told to stop', async () => {
    await using balancer = await startTcpBalancer([nowhere])
    await using serving = await startSaying(
      'the database takes no writes yet',
      through(balancer.origin),
    )
    serving.signal('SIGTERM')
    expect(await serving.ended).toBe(0)
  })
})
