import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { makeAuthority } from '../../../testing/src/network/certificates.ts'
import { startDnsServer } from '../../../testing/src/network/dns-server.ts'
import { setTrap } from '../../../testing/src/network/trap.ts'
import {
  type EgressAnswer,
  EgressError,
  type EgressOptions,
  type EgressRequest,
  openEgress,
} from './egress.ts'

let perTest = new AsyncDisposableStack()
afterEach(async () => {
  await perTest.disposeAsync()
  perTest = new AsyncDisposableStack()
})

function open(options: Partial<EgressOptions> = {}) {
  const egress = perTest.use(
    openEgress({
      allow: '127.0.0.0/8',
      http: true,
      perTarget: 5,
      all: 20,
      breaker: { failures: 1000, restMs: 1000 },
      ...options,
    }),
  )
  return (url: string, request: Partial<EgressRequest> = {}) =>
    egress.call({
      url,
      method: 'GET',
      headers: {},
      timeoutMs: 5000,
      maxBytes: 1000,
      target: 'one',
      ...request,
    })
}

async function listen(server: Server, host = '127.0.0.1'): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  perTest.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  // A listening TCP server has an address with a port.
  return String((server.address() as AddressInfo).port)
}

async function serve(answer: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(answer))}/`
}

const reasonOf = (calling: Promise<EgressAnswer>) =>
  calling.then(
    () => 'answered',
    (error: unknown) => (error instanceof EgressError ? error.reason : error),
  )

describe('an answer', () => {
  test('is told as it came', async () => {
    const url = await serve((request, response) => {
      request.setEncoding('utf8').on('data', (text: string) => {
        const told = [request.method, request.url, request.headers['x-own'], text].join(' ')
        response.writeHead(418, { 'x-kind': ['a', 'b'] }).end(told)
      })
    })
    const answer = await open()(`${url}path?q=1`, {
      method: 'POST',
      headers: { 'x-own': 'mine' },
      body: 'hellö',
    })
    expect(answer).toMatchObject({ status: 418, truncated: false })
    expect(answer.body).toBe('POST /path?q=1 mine hellö')
    expect(answer.headers['x-kind']).toBe('a, b')
  })

  test('may be a redirect, which nobody follows', async () => {
    await using trap = await setTrap('127.0.0.1')
    const location = `http://127.0.0.1:${trap.port}/`
    const url = await serve((_request, response) => response.writeHead(307, { location }).end())
    expect(await open()(url)).toMatchObject({ status: 307, headers: { location } })
    expect(trap.hits).toBe(0)
  })

  test('of a gigabyte is cut, and costs no memory', async () => {
    const block = Buffer.alloc(1_048_576, 'x')
    let sent = 0
    const url = await serve((_request, response) => {
      const more = () => {
        while (!response.destroyed && sent < 1024) {
          sent += 1
          if (!response.write(block)) return response.once('drain', more)
        }
        return response.end()
      }
      more()
    })
    const before = process.memoryUsage().rss
    const answer = await open()(url, { maxBytes: 65_536 })
    expect(answer).toMatchObject({ status: 200, truncated: true })
    expect(answer.body).toHaveLength(65_536)
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1_048_576)
    expect(sent).toBeLessThan(100)
  })

  test('with headers without end is refused', async () => {
    const url = await serve((_request, response) =>
      response.writeHead(200, { 'x-long': 'x'.repeat(20_000) }).end(),
    )
    expect(await reasonOf(open()(url))).toBe('too-large')
  })

  test('that comes drop by drop ends at the time limit', async () => {
    const url = await serve((_request, response) => {
      const drip = setInterval(() => response.write('.'), 10)
      response.once('close', () => clearInterval(drip))
    })
    expect(await reasonOf(open()(url, { timeoutMs: 200 }))).toBe('timeout')
  })

  test('that never comes, or a name that nobody knows of, ends at the time limit', async () => {
    const dns = perTest.use(await startDnsServer({}, ['mute.example']))
    const call = open({ dnsServers: [dns.address] })
    const url = await serve(() => {})
    expect(await reasonOf(call(url, { timeoutMs: 100 }))).toBe('timeout')
    expect(await reasonOf(call('http://mute.example/', { timeoutMs: 100 }))).toBe('timeout')
  })

  test('that breaks off is none', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': 100 })
      response.write('half', () => response.destroy())
    })
    expect(await reasonOf(open()(url))).toBe('connection')
  })
})

describe('a request', () => {
  test('keeps the name it was made for, in TLS and in HTTP', async () => {
    const authority = makeAuthority()
    const dns = perTest.use(await startDnsServer({ 'hooks.example': [['127.0.0.1']] }))
    const server = createHttpsServer(
      authority.sign('hooks', 'hooks.example'),
      (request, response) =>
        // The server speaks TLS, so its sockets have a name.
        response.end(
          `${request.headers.host} ${(request.socket as { servername?: string }).servername}`,
        ),
    )
    const port = await listen(server)
    const options = { ca: authority.ca, dnsServers: [dns.address], http: false }
    const answer = await open(options)(`https://hooks.example:${port}/`)
    expect(answer.body).toBe(`hooks.example:${port} hooks.example`)
    // Nobody vouches for the server under another name, or for an authority of its own making.
    expect(await reasonOf(open(options)(`https://127.0.0.1:${port}/`))).toBe('connection')
    const strict = { dnsServers: [dns.address], http: false }
    expect(await reasonOf(open(strict)(`https://hooks.example:${port}/`))).toBe('connection')
  })

  test('decides by itself about host, length and connection', async () => {
    const url = await serve((request, response) => response.end(JSON.stringify(request.headers)))
    const { body } = await open()(url, {
      method: 'POST',
      headers: { Host: 'inside', 'Content-Length': '1', 'Transfer-Encoding': 'chunked', a: 'b' },
      body: 'four',
    })
    const heard = JSON.parse(body)
    expect(heard).toMatchObject({ host: new URL(url).host, 'content-length': '4', a: 'b' })
    expect(heard).not.toHaveProperty('transfer-encoding')
    expect(await reasonOf(open()(url, { headers: { a: 'b\r\nc: d' } }))).toBe('refused-url')
  })

  test('uses a connection again, and a new one where that was closed meanwhile', async () => {
    const seen = new Set<Socket>()
    let closes = false
    const url = await serve((request, response) => {
      if (closes && seen.has(request.socket)) return request.socket.destroy()
      seen.add(request.socket)
      return response.end()
    })
    const call = open()
    await call(url)
    await call(url)
    expect(seen.size).toBe(1)
    closes = true
    expect(await call(url)).toMatchObject({ status: 200 })
    expect(seen.size).toBe(2)
  })

  test('leaves no more connections open than agreed', async () => {
    const sockets = new Set<Socket>()
    const urls = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const server = createServer((_request, response) => response.end())
        server.on('connection', (socket) => {
          sockets.add(socket)
          socket.once('close', () => sockets.delete(socket))
        })
        return `http://127.0.0.1:${await listen(server)}/`
      }),
    )
    const call = open({ all: 2 })
    for (const url of urls) await call(url)
    await expect.poll(() => sockets.size).toBe(2)
  })
})

describe('a target', () => {
  test('that does not answer holds up no other', async () => {
    let stuck = 0
    const slow = await serve(() => {
      stuck += 1
    })
    const quick = await serve((_request, response) => response.end('quick'))
    const call = open({ perTarget: 2, all: 3 })
    const waiting = Array.from({ length: 4 }, () =>
      reasonOf(call(slow, { target: 'slow', timeoutMs: 2500 })),
    )
    await expect.poll(() => stuck).toBe(2)
    expect(await call(quick, { target: 'quick' })).toMatchObject({ body: 'quick' })
    expect(stuck).toBe(2)
    expect(await Promise.all(waiting)).toEqual(['timeout', 'timeout', 'timeout', 'timeout'])
  })

  test('has a queue of finite length', async () => {
    const held: ServerResponse[] = []
    let isOpen = false
    const url = await serve((_request, response) => {
      if (isOpen) response.end()
      else held.push(response)
    })
    const reasons: unknown[] = []
    const call = open({ perTarget: 1 })
    const calls = Array.from({ length: 30 }, async () => reasons.push(await reasonOf(call(url))))
    await expect.poll(() => reasons).toHaveLength(9)
    expect(new Set(reasons)).toEqual(new Set(['busy']))
    isOpen = true
    for (const response of held) response.end()
    await Promise.all(calls)
    expect(reasons.filter((reason) => reason === 'answered')).toHaveLength(21)
  })

  test('keeps nobody waiting for long', async () => {
    const url = await serve(() => {})
    const call = open({ perTarget: 1, waitMs: 50 })
    const calls = [1, 2, 3].map(() => reasonOf(call(url, { timeoutMs: 200 })))
    expect(await Promise.all(calls)).toEqual(['timeout', 'busy', 'busy'])
  })

  test('that failed several times in a row rests, alone, until a trial succeeds', async () => {
    let asked = 0
    let well = false
    const url = await serve((request, response) => {
      asked += 1
      if (well) response.end('well')
      else request.socket.destroy()
    })
    const call = open({ breaker: { failures: 3, restMs: 2000 } })
    for (const _ of [1, 2, 3]) expect(await reasonOf(call(url))).toBe('connection')
    expect(await reasonOf(call(url))).toBe('breaker-open')
    expect(asked).toBe(3)
    expect(await reasonOf(call(url, { target: 'other' }))).toBe('connection')
    // A trial that fails prolongs the rest.
    await expect.poll(() => reasonOf(call(url))).toBe('connection')
    expect(await reasonOf(call(url))).toBe('breaker-open')
    well = true
    await expect.poll(() => call(url)).toMatchObject({ body: 'well' })
    expect(await call(url)).toMatchObject({ body: 'well' })
  })

  test('that answers with errors is there, and does not rest', async () => {
    const url = await serve((_request, response) => response.writeHead(503).end())
    const call = open({ breaker: { failures: 2, restMs: 60_000 } })
    for (const _ of [1, 2, 3, 4]) expect(await call(url)).toMatchObject({ status: 503 })
  })

  test('that is refused by our own rules does not rest: the next call is refused for the same reason', async () => {
    const dns = perTest.use(await startDnsServer({ 'inside.example': [['10.0.0.1']] }))
    const breaker = { failures: 2, restMs: 60_000 }
    const call = open({ breaker, dnsServers: [dns.address] })
    for (const _ of [1, 2, 3, 4]) {
      expect(await reasonOf(call('http://inside.example/'))).toBe('refused-address')
    }
  })
})
