import { once } from 'node:events'
import { connect } from 'node:net'
import type { Position } from '@chorale/contract/frames'
import { afterAll, expect, test } from 'vitest'
import { errorOf, send } from '../../../testing/src/network/wire.ts'
import { startRealtimeFixture } from '../../../testing/src/service/realtime-fixture.ts'

const fixture = await startRealtimeFixture()
afterAll(() => fixture[Symbol.asyncDispose]())
const { app, full, say, tokenOf } = fixture
await app.given.users('ann', 'bob')

interface Heard {
  readonly type?: string
  readonly code?: number
  readonly error?: { readonly code: string }
  readonly message?: { readonly data: { readonly text?: string } }
  readonly positions?: Record<string, Position>
}

/** Reads the stream as it comes. */
async function listen(authToken: string, positions?: Record<string, Position>) {
  const query = positions ? `?positions=${encodeURIComponent(JSON.stringify(positions))}` : ''
  const stopping = new AbortController()
  const response = await fetch(`${app.origin}/v3/realtime/events${query}`, {
    headers: { appId: app.appId, authToken },
    signal: stopping.signal,
  })
  const heard: Heard[] = []
  const ended = (async () => {
    let text = ''
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString('utf8')
      const events = text.split('\n\n')
      text = events.pop() ?? ''
      for (const event of events) {
        const data = /^data: (.*)$/m.exec(event)?.[1]
        if (data) heard.push(JSON.parse(data))
      }
    }
  })().catch(() => undefined)
  return {
    status: response.status,
    heard,
    texts: () => heard.flatMap(({ message }) => message?.data.text ?? []),
    ended,
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await ended
    },
  }
}

test('a device without a WebSocket hears the same, and resumes', async () => {
  await say('ann', 'bob', '1')
  const token = await tokenOf('bob')
  await using bob = await listen(token)
  await expect.poll(() => bob.heard[0]?.type).toBe('welcome')
  expect(bob.heard[0]?.positions).toEqual({ ann_user_bob: { seq: 1, change: 0 } })
  await say('ann', 'bob', 'zwei ✓')
  await say('ann', 'bob', 'x'.repeat(300))
  await expect.poll(() => bob.texts()).toEqual(['zwei ✓', 'x'.repeat(300)])
  await using again = await listen(token, { ann_user_bob: { seq: 1, change: 0 } })
  await expect.poll(() => again.texts()).toEqual(['zwei ✓', 'x'.repeat(300)])
})

test('the connection of a device that ends its half of it is closed at once', async () => {
  const { hostname, port } = new URL(app.origin)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  const closed = once(socket, 'close')
  const token = await tokenOf('bob')
  socket.write(
    `GET /v3/realtime/events HTTP/1.1\r\nHost: localhost\r\nappId: ${app.appId}\r\nauthToken: ${token}\r\n\r\n`,
  )
  const [first] = await once(socket, 'data')
  expect(String(first)).toMatch(/^HTTP\/1.1 200 /)
  socket.end()
  await closed
}, 10_000)

test.each([
  '{"a":{"seq":1e300,"change":0}}',
  '{"a":{"seq":1e999,"change":0}}',
  '{"a":{"seq":-1,"change":0}}',
  '{"a":{"seq":9223372036854775808,"change":0}}',
  '{"a":null}',
  '{"\\u0000":{"seq":1,"change":0}}',
  '[null]',
])('H3: positions of %s are refused', async (positions) => {
  const { authToken } = await app.device('ann')
  const path = `/v3/realtime/events?positions=${encodeURIComponent(positions)}`
  const answer = await send(app.origin, { path, headers: { appId: app.appId, authToken } })
  expect(errorOf(answer).code).toBe('ERR_BAD_REQUEST')
})

test('a wrong token, a missing one and one that is revoked are told so', async () => {
  await using wrong = await listen('bob_123')
  await wrong.ended
  expect(wrong.heard).toMatchObject([
    { type: 'refusal', error: { code: 'AUTH_ERR_AUTH_TOKEN_NOT_FOUND' } },
    { code: 4401 },
  ])
  await using none = await listen('')
  expect(none.status).toBe(401)
  await using bob = await listen(await tokenOf('bob'))
  await expect.poll(() => bob.heard[0]?.type).toBe('welcome')
  await full.deleteAuthTokens({ params: { uid: 'bob' } })
  await bob.ended
  expect(bob.heard.at(-1)).toMatchObject({ code: 4401 })
})
