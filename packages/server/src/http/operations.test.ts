import { afterAll, describe, expect, test, vi } from 'vitest'
import { openBrowser } from '../../../testing/src/network/example-page.ts'
import { exchange, send, type WireRequest } from '../../../testing/src/network/wire.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'

// A browser takes its time to start.
vi.setConfig({ testTimeout: 120_000 })

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const start = async (settings: Record<string, string>) =>
  stack.use(await startTestApp({ shadow: false, live: { gateway: true, settings } }))

const headers = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
}

describe('answers', async () => {
  const app = await start({ HSTS_SECONDS: '600' })
  const get = (path: string, more: Partial<WireRequest> = {}) => send(app.origin, { path, ...more })

  const paths = ['/docs', '/docs/reference.js', '/openapi.json']
  for (const path of [...paths, '/v3/users', '/nothing', '/v3/%zz', '/v3/realtime/events'])
    test(`M10: ${path} is answered with the headers that browsers heed`, async () => {
      const hsts = { 'strict-transport-security': 'max-age=600' }
      expect((await get(path)).headers).toMatchObject({ ...headers, ...hsts })
    })

  test('M10: so are bytes that are not HTTP, and an upgrade that is refused', async () => {
    const upgrade =
      'GET /nope HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
    for (const bytes of ['nonsense\r\n\r\n', upgrade])
      expect((await exchange(app.origin, bytes)).headers).toMatchObject(headers)
  })

  test('M10: documents are compressed, and not sent to who has them', async () => {
    for (const path of ['/docs/reference.js', '/openapi.json', '/docs']) {
      const plain = await get(path)
      expect(plain.headers['content-encoding']).toBeUndefined()
      const refused = await get(path, { headers: { 'accept-encoding': 'br, gzip;q=0' } })
      expect(refused.headers['content-encoding']).toBeUndefined()
      const packed = await get(path, { headers: { 'accept-encoding': 'gzip, br' } })
      expect(packed.headers).toMatchObject({
        'content-encoding': 'gzip',
        'cache-control': expect.any(String),
        vary: expect.stringContaining('Accept-Encoding'),
      })
      const [small, large] = [packed, plain].map((one) => Number(one.headers['content-length']))
      expect(small).toBeLessThan(large ?? 0)
      const again = await get(path, { headers: { 'if-none-match': String(plain.headers.etag) } })
      expect([again.status, again.text]).toEqual([304, ''])
      const other = await get(path, { headers: { 'if-none-match': 'W/"other"' } })
      expect(other.status).toBe(200)
    }
  })

  test('M10: the page of the API works under a policy that allows no inline script', async () => {
    const policy = String((await get('/docs')).headers['content-security-policy'])
    expect(policy).toContain("script-src 'self';")
    await using browser = await openBrowser()
    const page = await browser.newPage()
    const refused: string[] = []
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) refused.push(message.text())
    })
    await page.goto(`${app.origin}/docs`, { timeout: 90_000 })
    await page.getByText('Chorale').first().waitFor({ timeout: 90_000 })
    expect(refused).toEqual([])
  })
})

test('M10: DOCS=off leaves the description of the API out', async () => {
  const app = await start({ DOCS: 'off' })
  for (const path of ['/docs', '/docs/', '/docs/reference.js', '/docs/start.js', '/openapi.json'])
    expect([path, (await send(app.origin, { path })).status]).toEqual([path, 404])
  expect((await send(app.origin, { path: '/v3/users' })).status).toBe(401)
})

describe('the pages of operations', async () => {
  // Nobody is at port 1.
  const app = await start({ NATS_URL: 'nats://127.0.0.1:1' })
  const { key, secret } = app.management
  const pages = ['/healthz', '/readyz', '/metrics']
  const read = (path: string, more = {}) => send(app.operationsOrigin, { path, headers: more })

  test('M10: they are on the port of operations, and on no other', async () => {
    for (const path of pages) {
      expect([path, (await read(path)).status]).toEqual([path, 200])
      for (const origin of [app.origin, app.managementOrigin])
        expect([path, (await send(origin, { path })).status]).toEqual([path, 404])
    }
    expect((await read('/metrics')).text).toContain('chorale_nats_connected 0')
    expect((await read('/v3/users')).status).toBe(404)
  })

  test('M10: the management API with a port of its own is on no other, whatever the host name', async () => {
    const headers = { key, secret, host: 'apimgmt.localhost' }
    for (const [origin, status] of [
      [app.managementOrigin, 200],
      [app.origin, 404],
      [app.operationsOrigin, 404],
    ] as const)
      expect((await send(origin, { path: '/apps', headers })).status).toBe(status)
  })

  test('M10: readiness names what fails, and why', async () => {
    const { status, text } = await read('/readyz')
    const state = { ready: true, degraded: true, database: 'ok', migrations: 'ok' }
    expect([status, JSON.parse(text)]).toEqual([200, { ...state, nats: 'NATS is away.' }])
  })

  test('M10: they have the headers that browsers heed, and no page of another site may read them', async () => {
    for (const path of pages) {
      const answer = await read(path, { origin: 'https://a.example' })
      expect(answer.headers).toMatchObject(headers)
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    }
  })
})
