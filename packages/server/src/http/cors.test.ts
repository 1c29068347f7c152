import { afterAll, describe, expect, test } from 'vitest'
import { startRealtimeFixture } from '../../../testing/src/service/realtime-fixture.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const open = stack.use(await startRealtimeFixture())
const closed = stack.use(await startRealtimeFixture({ GATEWAY_ORIGINS: 'https://a.example' }))

const asks = (origin: string) => ({
  method: 'OPTIONS',
  headers: {
    origin,
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'appid,authtoken',
  },
})
const allowed = ({ headers }: Response) => headers.get('access-control-allow-origin')

describe('a page of another site', () => {
  test('may call what a device may call, and read the answer', async () => {
    const address = `${open.app.origin}/v3/me`
    const first = await fetch(address, asks('https://page.example'))
    expect([first.status, allowed(first)]).toEqual([204, '*'])
    expect(first.headers.get('access-control-allow-headers')).toContain('authToken')
    const headers = { origin: 'https://page.example' }
    const answer = await fetch(address, { headers })
    expect([answer.status, allowed(answer)]).toEqual([401, '*'])
    expect(answer.headers.get('access-control-expose-headers')).toContain('X-Request-Id')
  })

  test('cannot show an API key', async () => {
    const first = await fetch(`${open.app.origin}/v3/users`, asks('https://page.example'))
    expect(first.headers.get('access-control-allow-headers')).not.toMatch(/apikey/i)
  })

  test('is told nothing, where only some sites may call', async () => {
    const address = `${closed.app.origin}/v3/me`
    expect(allowed(await fetch(address, asks('https://b.example')))).toBeNull()
    const first = await fetch(address, asks('https://a.example'))
    expect([first.status, allowed(first)]).toEqual([204, 'https://a.example'])
    expect(first.headers.get('vary')).toBe('Origin')
  })

  test('may listen without a WebSocket', async () => {
    const { app } = open
    await app.given.users('ann')
    const authToken = await open.tokenOf('ann')
    const end = new AbortController()
    const answer = await fetch(`${app.origin}/v3/realtime/events`, {
      headers: { origin: 'https://page.example', appId: app.appId, authToken },
      signal: end.signal,
    })
    expect([answer.status, allowed(answer)]).toEqual([200, '*'])
    end.abort()
  })
})
