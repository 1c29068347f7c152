import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { type Provider, startProvider } from '../../../testing/src/providers/provider.ts'
import { Http2Error } from './http2-line.ts'
import { openHttp2Pool } from './http2-pool.ts'

let perTest = new AsyncDisposableStack()
afterEach(async () => {
  await perTest.disposeAsync()
  perTest = new AsyncDisposableStack()
})

interface Fixture {
  readonly provider: Provider
  /** The bodies that were processed. */
  readonly processed: readonly string[]
  /** How many were under way at once, at most. */
  readonly peak: number
  post(body: string): Promise<string>
  /** From now on, answers wait until they are let go. */
  hold(): () => void
}

async function open(maxConcurrentStreams?: number): Promise<Fixture> {
  const processed: string[] = []
  let gate = Promise.resolve()
  let busy = 0
  let peak = 0
  const provider = await startProvider(async ({ body }) => {
    processed.push(body.toString())
    busy += 1
    peak = Math.max(peak, busy)
    await gate
    busy -= 1
    return { status: 200, body: body.toString() }
  }, maxConcurrentStreams)
  perTest.use(provider)
  const pool = openHttp2Pool(provider.origin, { timeoutMs: 20_000, ca: provider.authority.ca })
  perTest.use(pool)
  return {
    provider,
    processed,
    get peak() {
      return peak
    },
    post: async (text) => JSON.parse((await pool.post('/', {}, text)).body),
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      return resolve
    },
  }
}

const texts = (count: number) => Array.from({ length: count }, (_, n) => `text ${n}`)
const end = (calling: Promise<string>) =>
  calling.catch((error: unknown) =>
    error instanceof Http2Error ? { untouched: error.untouched } : error,
  )

/** Hands everything on until it falls silent, as a firewall does that has forgotten a connection. */
async function startSilenceable(origin: string) {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(new URL(origin).port), '127.0.0.1')
    near.pipe(far).pipe(near)
    for (const socket of [near, far]) {
      sockets.add(socket.on('error', () => {}))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  perTest.defer(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo
  return {
    origin: `https://127.0.0.1:${port}`,
    fallSilent() {
      for (const socket of sockets) socket.unpipe().pause()
    },
  }
}

describe('requests', () => {
  test('share one connection', async () => {
    const { post, provider } = await open()
    expect(await Promise.all(texts(80).map(post))).toEqual(texts(80))
    expect(provider.connections).toBe(1)
  })

  test('of any number get their turn, on a few connections', async () => {
    const { post, provider, processed } = await open()
    expect(await Promise.all(texts(3000).map(post))).toEqual(texts(3000))
    expect(processed).toHaveLength(3000)
    expect(provider.connections).toBeLessThanOrEqual(3)
  })

  test('are never more at once than the other side takes', async () => {
    const fixture = await open(2)
    await fixture.post('first')
    expect(await Promise.all(texts(50).map(fixture.post))).toEqual(texts(50))
    expect(fixture.peak).toBeLessThanOrEqual(6)
    expect(fixture.processed).toHaveLength(51)
  })
})

describe('a provider', () => {
  test('that is not there keeps nobody waiting', async () => {
    const pool = perTest.use(openHttp2Pool('https://127.0.0.1:1', { timeoutMs: 5000 }))
    const posts = texts(50).map((text) => end(pool.post('/', {}, text).then(() => 'answered')))
    for (const result of await Promise.all(posts)) expect(result).toEqual({ untouched: false })
  })

  test('that takes one request at a time is not overrun', async () => {
    const { post, processed, provider } = await open(1)
    expect(await Promise.all(texts(200).map(post))).toEqual(texts(200))
    expect(processed).toHaveLength(200)
    expect(provider.requests).toBe(200)
  })

  test('that takes more after the first is given more', async () => {
    const fixture = await open(1)
    await fixture.post('first')
    const letGo = fixture.hold()
    const waiting = texts(100).map(fixture.post)
    await expect.poll(() => fixture.peak).toBe(3)
    fixture.provider.allow(100)
    await expect.poll(() => fixture.peak).toBe(100)
    letGo()
    expect(await Promise.all(waiting)).toEqual(texts(100))
  })
})

describe('a connection', () => {
  test('that is closed in good order: what was not processed goes over another', async () => {
    const { post, provider, processed, hold } = await open()
    await post('first')
    const letGo = hold()
    const underWay = texts(5).map(post)
    await expect.poll(() => processed).toHaveLength(6)
    provider.fail('/', 'goaway')
    const late = post('late')
    await expect.poll(() => processed).toContain('late')
    letGo()
    expect(await Promise.all([...underWay, late])).toEqual([...texts(5), 'late'])
    expect(processed).toHaveLength(7)
    expect(provider.connections).toBe(2)
  })

  test('that is closed in anger: what may have been processed is not repeated', async () => {
    const { post, provider, processed, hold } = await open()
    await post('first')
    const letGo = hold()
    const underWay = texts(5).map((text) => end(post(text)))
    await expect.poll(() => processed).toHaveLength(6)
    provider.fail('/', 'goaway-error')
    const late = post('late')
    for (const result of await Promise.all(underWay)) expect(result).toEqual({ untouched: false })
    letGo()
    expect(await late).toBe('late')
    expect(processed).toHaveLength(7)
  })

  test('that has fallen silent is given up', async () => {
    const { provider } = await open()
    const between = await startSilenceable(provider.origin)
    const options = { timeoutMs: 1500, ca: provider.authority.ca }
    const pool = perTest.use(openHttp2Pool(between.origin, options))
    const post = () => pool.post('/', {}, 'text').then(({ status }) => status)
    expect(await post()).toBe(200)
    between.fallSilent()
    await expect(post()).rejects.toThrow('no answer within 1500 ms')
    await expect.poll(post, { timeout: 30_000 }).toBe(200)
    expect(provider.connections).toBe(2)
  })

  test('that breaks: what may have been processed is not repeated, and the next has a new one', async () => {
    const { post, provider, processed, hold } = await open()
    await post('first')
    const letGo = hold()
    const underWay = texts(5).map((text) => end(post(text)))
    await expect.poll(() => processed).toHaveLength(6)
    provider.fail('/', 'reset')
    expect(await end(post('late'))).toEqual({ untouched: false })
    for (const result of await Promise.all(underWay)) expect(result).toEqual({ untouched: false })
    letGo()
    expect(await post('after')).toBe('after')
    expect(processed).toHaveLength(7)
    expect(provider.connections).toBe(2)
  })
})
