import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, expect, test, vi } from 'vitest'
import { cloneDatabase } from '../../../testing/src/engines/test-database.ts'
import { send } from '../../../testing/src/network/wire.ts'
import { settingsFor, startServing } from '../../../testing/src/processes/program.ts'

// A process of its own: an error that nobody listens to ends it.
vi.setConfig({ testTimeout: 120_000 })

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const database = stack.use(await cloneDatabase())

const strict = { GATEWAY_PENDING: '1', GATEWAY_ORIGINS: 'https://a.example' }
const serving = stack.use(await startServing({ ...settingsFor(database.url), ...strict }))
const port = Number(new URL(serving.origin).port)

async function open(path: string, more: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${more}\r\n`,
  )
  return socket
}

const refused = [
  ['a path that does not exist', '/nope', ''],
  ['an origin that may not connect', '/v3/realtime', 'Origin: https://b.example\r\n'],
  ['one that another takes the place of', '/v3/realtime', 'Origin: https://a.example\r\n'],
] as const

test.for(refused)(
  'C1: a refused upgrade (%s) that is cut off ends no process',
  async ([, path, more]) => {
    for (let round = 0; round < 20; round++) {
      const [reset, closed] = await Promise.all([open(path, more), open(path, more)])
      reset.resetAndDestroy()
      closed.destroy()
    }
    expect((await send(serving.origin, { path: '/docs/start.js' })).status).toBe(200)
  },
)
