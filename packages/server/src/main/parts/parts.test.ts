import { afterAll, expect, inject, test, vi } from 'vitest'
import { cloneDatabase } from '../../../../testing/src/engines/test-database.ts'
import { startTcpProxy } from '../../../../testing/src/network/tcp-proxy.ts'
import { send } from '../../../../testing/src/network/wire.ts'
import {
  choraleJson,
  type Serving,
  settingsFor,
  startServing,
} from '../../../../testing/src/processes/program.ts'

// A process takes its time to start.
vi.setConfig({ testTimeout: 180_000 })

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const settings = settingsFor(stack.use(await cloneDatabase()).url)
const { appId, apiKeys } = await choraleJson<{ appId: string; apiKeys: { fullAccess: string } }>(
  settings,
  ...['app', 'create', '--name', 'Test'],
)
const headers = { appId, apikey: apiKeys.fullAccess, 'content-type': 'application/json' }
const wait = { timeout: 60_000 }

async function readiness({ operationsOrigin }: Serving) {
  const { status, text } = await send(operationsOrigin, { path: '/readyz' })
  return { status, ...JSON.parse(text) }
}

async function metrics({ operationsOrigin }: Serving): Promise<string> {
  return (await send(operationsOrigin, { path: '/metrics' })).text
}

const engines = { database: 'ok', migrations: 'ok', nats: 'ok', process: 'ok' }
const ready = { status: 200, ready: true, degraded: false, ...engines }

test('the api alone answers calls, is asked on the port of operations, and takes no devices', async () => {
  await using api = await startServing(settings, '--parts', 'api')
  await expect.poll(() => readiness(api), wait).toEqual(ready)
  expect((await send(api.operationsOrigin, { path: '/healthz' })).status).toBe(200)
  expect((await send(api.origin, { path: '/v3/users', headers })).status).toBe(200)
  expect((await send(api.origin, { path: '/v3/realtime/events', headers })).status).toBe(404)
  const page = await metrics(api)
  expect(page).toMatch(/^chorale_requests_total\{operation="listUsers",status="200"\} 1$/m)
  expect(page).not.toContain('chorale_gateway')
})

test('a gateway alone takes devices and no calls over REST, and is asked on the port of operations', async () => {
  await using gateway = await startServing(settings, '--parts', 'gateway')
  await expect.poll(() => readiness(gateway), wait).toEqual(ready)
  expect((await send(gateway.origin, { path: '/v3/users', headers })).status).toBe(404)
  expect((await send(gateway.origin, { path: '/v3/realtime/events', headers })).status).toBe(401)
  expect(await metrics(gateway)).toContain('chorale_gateway')
})

test('a worker alone opens the port of operations only, and shows its own figures there', async () => {
  await using worker = await startServing(settings, '--parts', 'worker')
  expect(worker.origin).toBe('')
  expect(worker.output().match(/"msg":"listening"/g)).toHaveLength(1)
  await expect.poll(() => readiness(worker), wait).toEqual({ ...ready, consumers: 'ok' })
  await using api = await startServing(settings, '--parts', 'api')
  const post = async (path: string, content: object, more = {}) => {
    const body = JSON.stringify(content)
    const answer = await send(api.origin, {
      method: 'POST',
      path,
      headers: { ...headers, ...more },
      body,
    })
    expect(answer.status).toBe(200)
  }
  for (const uid of ['ann', 'bob']) await post('/v3/users', { uid, name: uid })
  const message = { category: 'message', type: 'text', data: { text: 'Hi' } }
  await post(
    '/v3/messages',
    { receiver: 'bob', receiverType: 'user', ...message },
    { onBehalfOf: 'ann' },
  )
  const handled = /^chorale_listener_events_total\{listener="[^"]+",outcome="handled"\} [1-9]/m
  await expect.poll(() => metrics(worker), wait).toMatch(handled)
  expect(await metrics(api)).not.toMatch(handled)
  // Calls have connections of their own, and there are none here.
  expect(await metrics(worker)).toContain(
    'chorale_database_connections{pool="foreground",state="total"} 0',
  )
})

test('a worker alone is not ready while NATS is away, since its consumers cannot work', async () => {
  await using proxy = await startTcpProxy(inject('natsUrl'))
  await using worker = await startServing({ ...settings, NATS_URL: proxy.url }, '--parts', 'worker')
  await expect.poll(() => readiness(worker), wait).toEqual({ ...ready, consumers: 'ok' })
  await proxy.close()
  await expect.poll(() => readiness(worker), wait).toMatchObject({ status: 503, ready: false })
  expect((await send(worker.operationsOrigin, { path: '/healthz' })).status).toBe(200)
  await proxy.open()
  await expect.poll(() => readiness(worker), wait).toEqual({ ...ready, consumers: 'ok' })
})
