import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { send } from '../../../testing/src/network/wire.ts'
import { startRealtimeFixture } from '../../../testing/src/service/realtime-fixture.ts'

const fixture = await startRealtimeFixture({
  GATEWAY_CONNECTIONS: '3',
  GATEWAY_PENDING: '20',
  GATEWAY_PENDING_BYTES: '100000',
  AUTH_REFUSALS_PER_MINUTE: '10',
  TRUST_PROXY: '127.0.0.1',
})
afterAll(() => fixture[Symbol.asyncDispose]())
await fixture.app.given.users('ada', 'bob')
const { origin, appId } = fixture.app
const port = Number(new URL(origin).port)

async function stranger(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(
    'GET /v3/realtime HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1.1 101 /)
  return socket
}

test('H6: strangers who say nothing take no place of a device that signs in', async () => {
  await using _ = await fixture.device('ada')
  const strangers = await Promise.all(Array.from({ length: 60 }, stranger))
  await using device = await fixture.device('bob')
  await fixture.say('ada', 'bob', 'hello')
  await device.next('message')
  // Those that waited longest made room.
  await expect
    .poll(
      () => strangers.filter(({ destroyed, readableEnded }) => destroyed || readableEnded).length,
    )
    .toBeGreaterThanOrEqual(40)
  for (const socket of strangers) socket.destroy()
})

test('H6: strangers share a bound on what they send before they sign in', async () => {
  // A frame of 100,000 bytes, of which most never come.
  const begin = Buffer.from('81ff00000000000186a000000000', 'hex')
  const strangers = await Promise.all(Array.from({ length: 15 }, stranger))
  const cut = strangers.map((socket) => new Promise((resolve) => socket.once('close', resolve)))
  for (const socket of strangers) socket.write(Buffer.concat([begin, Buffer.alloc(20_000)]))
  await Promise.any(cut)
  for (const socket of strangers) socket.destroy()
})

test('H6: wrong tokens from one address are refused without work; good ones are still served', async () => {
  const from = (address: string, authToken: string) =>
    send(origin, { path: '/v3/me', headers: { appId, authToken, 'x-forwarded-for': address } })
  const authToken = await fixture.tokenOf('ada')
  expect((await from('9.9.9.9', authToken)).status).toBe(200)
  for (let n = 0; n < 10; n++) expect((await from('9.9.9.9', `wrong-${n}`)).status).toBe(401)
  const refused = await from('9.9.9.9', 'wrong-again')
  expect(refused.status).toBe(429)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect((await from('9.9.9.9', authToken)).status).toBe(200)
  expect((await from('8.8.8.8', 'wrong')).status).toBe(401)
})
