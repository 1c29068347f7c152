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

test('the page of a proxy is an error that says so', async () => {
  const url = await startServer((_, response) => {
    response.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad gateway</html>')
  })
  await expect(deviceClient({ baseUrl: url, authToken: 't' }).getMe()).rejects.toMatchObject({
    name: 'ChoraleError',
    status: 502,
    code: 'ERR_STRANGE_ANSWER',
    devMessage: '<html>Bad gateway</html>',
  })
})

test('a call ends in time, or when it is aborted', async () => {
  const url = await startServer(() => undefined)
  const { getMe } = deviceClient({ baseUrl: url, authToken: 't', timeoutMs: 30 })
  await expect(getMe()).rejects.toMatchObject({ code: 'timeout' })
  const patient = deviceClient({ baseUrl: url, authToken: 't' })
  const controller = new AbortController()
  const asked = patient.getMe({}, { signal: controller.signal })
  controller.abort()
  await expect(asked).rejects.toMatchObject({ code: 'aborted' })
  const { signal } = controller
  await expect(patient.getMe({}, { signal })).rejects.toMatchObject({ code: 'aborted' })
})

test('what reads is repeated a bounded number of times, what writes only if it came too fast', async () => {
  const heard: string[] = []
  let answers: number[] = []
  const url = await startServer(({ method = '' }, response) => {
    heard.push(method)
    const status = answers.shift() ?? 200
    const error = { code: 'ERR', message: '', devMessage: '' }
    response.writeHead(status).end(JSON.stringify(status === 200 ? { data: {} } : { error }))
  })
  const client = deviceClient({ baseUrl: url, authToken: 't', retries: 2 })
  answers = [503, 502, 200]
  await client.getMe()
  answers = [503, 503, 503]
  await expect(client.getMe()).rejects.toMatchObject({ status: 503 })
  expect(heard.splice(0)).toEqual(Array(6).fill('GET'))
  answers = [429, 503]
  await expect(client.updateMe({ body: { name: 'x' } })).rejects.toMatchObject({ status: 503 })
  answers = [400]
  await expect(client.getMe()).rejects.toMatchObject({ status: 400 })
  expect(heard).toEqual(['PUT', 'PUT', 'GET'])
})

test('a token function is asked with the first call, and once more when its token is refused', async () => {
  let good = 'first'
  let asked = 0
  const url = await startServer(({ headers }, response) => {
    const isGood = headers.authtoken === good
    const error = { code: 'AUTH_ERR_JWT_REFUSED', message: '', devMessage: '' }
    response.writeHead(isGood ? 200 : 401).end(JSON.stringify(isGood ? { data: {} } : { error }))
  })
  const tokens = ['first', 'second', 'third', 'fourth']
  const client = deviceClient({
    baseUrl: url,
    authToken: async () => tokens[asked++] ?? 'none',
  })
  await client.getMe()
  await client.getMe()
  expect(asked).toBe(1)
  good = 'second'
  await Promise.all([client.getMe(), client.getMe(), client.updateMe({ body: { name: 'x' } })])
  expect(asked).toBe(2)
  good = 'fifth'
  await expect(client.getMe()).rejects.toMatchObject({ status: 401 })
  expect(asked).toBe(3)
})
