import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { startBareService } from '../../../testing/src/service/bare-service.ts'

const service = await startBareService()
afterAll(() => service[Symbol.asyncDispose]())
const app = await service.createApp()
const port = Number(new URL(service.origin).port)
const asStranger = `appId: ${app.appId}\r\napikey: wrong\r\n`
const asLogin = `appId: ${app.appId}\r\napikey: ${app.auth}\r\n`
const asApp = `appId: ${app.appId}\r\napikey: ${app.full}\r\n`

async function begin(path: string, headers: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${headers}\r\n`,
  )
  return socket
}

const lengths = ['Content-Length: 1000000\r\n', 'Transfer-Encoding: chunked\r\n']

test.for([
  ['a wrong key', '/v3/users', asStranger, 401],
  ['a path that does not exist', '/v3/nothing', asApp, 404],
  ['an app that does not exist', '/v3/users', 'appId: none\r\napikey: wrong\r\n', 401],
  ['a key of too small a scope', '/v3/groups', asLogin, 403],
] as const)(
  'H6: %s is refused before its body is sent, and the connection closed',
  async ([, path, headers, status]) => {
    for (const length of lengths) {
      const socket = await begin(path, headers + length)
      const answer = await text(socket)
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
      expect(answer).toMatch(/\r\nConnection: close\r\n/i)
      expect(answer).toContain('"error":')
    }
  },
)

test('H6: a refused client that goes on sending is cut off', async () => {
  const socket = await begin('/v3/users', `${asStranger}Content-Length: 1000000000\r\n`)
  const block = Buffer.alloc(65_536, 32)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const answered = once(socket, 'data')
  const write = () => {
    if (!socket.destroyed) socket.write(block, () => setImmediate(write))
  }
  write()
  const [answer] = await answered
  expect(String(answer)).toMatch(/^HTTP\/1.1 401 /)
  await closed
  expect(socket.bytesWritten).toBeLessThan(100_000_000)
})

test('leave to send the body is given with the admission, and only then', async () => {
  const waits = 'Content-Length: 14\r\nExpect: 100-continue\r\n'
  const stranger = await begin('/v3/users', asStranger + waits)
  expect(await text(stranger)).toMatch(/^HTTP\/1.1 401 /)
  const socket = await begin('/v3/users', asApp + waits)
  const [leave] = await once(socket, 'data')
  expect(String(leave)).toMatch(/^HTTP\/1.1 100 /)
  socket.end('{"uid":"grace"')
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toContain('The body is not valid JSON.')
})

test('a small body that has come already keeps its connection, refused or not', async () => {
  const socket = await begin('/v3/users', `${asStranger}Content-Length: 2\r\n`)
  socket.write('{}')
  const [refused] = await once(socket, 'data')
  expect(String(refused)).toMatch(/^HTTP\/1.1 401 /)
  expect(String(refused)).toMatch(/\r\nConnection: keep-alive\r\n/i)
  socket.write(`GET /v3/users HTTP/1.1\r\nHost: localhost\r\n${asApp}\r\n`)
  const [listed] = await once(socket, 'data')
  expect(String(listed)).toMatch(/^HTTP\/1.1 200 /)
  socket.destroy()
})
