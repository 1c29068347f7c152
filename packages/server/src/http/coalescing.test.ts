import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { send } from '../../../testing/src/network/wire.ts'
import { startBareService } from '../../../testing/src/service/bare-service.ts'

const service = await startBareService()
afterAll(() => service[Symbol.asyncDispose]())
const { appId, full: apikey } = await service.createApp()
const port = Number(new URL(service.origin).port)

function creationOf(uid: string): string {
  const body = JSON.stringify({ uid, name: uid })
  return (
    `POST /v3/users HTTP/1.1\r\nHost: localhost\r\nappId: ${appId}\r\napikey: ${apikey}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  )
}

/** All of them call in one moment: those behind the first wait for each other. */
async function createAll(name: string, call: (socket: Socket, bytes: string) => void) {
  const uids = Array.from({ length: 30 }, (_, nth) => `${name}-${nth}`)
  const sockets = await Promise.all(
    uids.map(async () => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined)
      await once(socket, 'connect')
      return socket
    }),
  )
  for (const [nth, uid] of uids.entries()) {
    const socket = sockets[nth]
    if (socket) call(socket, creationOf(uid))
  }
  return { uids, sockets }
}

async function untilCreated(uids: readonly string[]): Promise<void> {
  const headers = { appId, apikey }
  for (const uid of uids) {
    const statusOf = async () =>
      (await send(service.origin, { path: `/v3/users/${uid}`, headers })).status
    await expect.poll(statusOf).toBe(200)
  }
}

test('a client that closes its connection right behind its call is heard', async () => {
  const { uids } = await createAll('closes', (socket, bytes) =>
    socket.write(bytes, () => socket.destroy()),
  )
  await untilCreated(uids)
})

test('a client that ends its half of the connection is heard and gets its answer', async () => {
  const { uids, sockets } = await createAll('half-closes', (socket, bytes) => socket.end(bytes))
  for (const socket of sockets) expect(await text(socket)).toMatch(/^HTTP\/1.1 200 /)
  await untilCreated(uids)
})
