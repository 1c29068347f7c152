import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { deviceClient, restClient } from './rest.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

async function startServer(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  stack.defer(() => void server.close())
  await once(server, 'listening')
  // A listening TCP server has an address with a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('L13: a redirect does not take the credentials elsewhere', async () => {
  const reached: IncomingHttpHeaders[] = []
  const thief = await startServer((request, response) => {
    reached.push(request.headers)
    response.end('{"data":[]}')
  })
  const redirecting = await startServer((request, response) => {
    response.writeHead(307, { location: `${thief}${request.url}` }).end()
  })
  const management = { url: redirecting, key: 'k', secret: 's' }
  const server = restClient({ baseUrl: redirecting, apiKey: 'key', management })
  const device = deviceClient({ baseUrl: redirecting, authToken: 'token' })
  await expect(server.listUsers()).rejects.toThrow()
  await expect(server.listApps()).rejects.toThrow()
  await expect(device.getUser({ params: { uid: 'ada' } })).rejects.toThrow()
  expect(reached).toEqual([])
})
