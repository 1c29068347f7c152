import type { ServerResponse } from 'node:http'
import { jwtVerify } from 'jose'
import { afterAll, expect, test } from 'vitest'
import {
  type IdentityProvider,
  makeSigningKey,
  startIdentityProvider,
} from '../../../../../testing/src/providers/identity-provider.ts'
import { openEgress } from '../../../egress/egress.ts'
import { type KeySetTimes, openKeySets } from './key-sets.ts'

const egress = openEgress({
  allow: '127.0.0.2/32',
  http: true,
  all: 10,
  perTarget: 5,
  breaker: { failures: 1000, restMs: 1 },
})
afterAll(() => egress[Symbol.asyncDispose]())

interface Opened extends AsyncDisposable {
  readonly provider: IdentityProvider
  readonly failures: string[]
  /** Of the clock that the keys are kept by. */
  passMs(ms: number): void
  verify(token: string): Promise<unknown>
}

async function open(times: Partial<KeySetTimes> = {}): Promise<Opened> {
  const provider = await startIdentityProvider({ host: '127.0.0.2' })
  const failures: string[] = []
  let atMs = 0
  const sets = openKeySets({
    egress,
    onFailure: (_, reason) => failures.push(reason),
    clockMs: () => atMs,
    times: { timeoutMs: 2000, everyMs: 20, ...times },
  })
  const { jwksUrl } = provider
  return {
    provider,
    failures,
    passMs(ms) {
      atMs += ms
    },
    async verify(token) {
      // Time passes between two calls.
      atMs++
      const keys = sets.keysOf({ appId: 'app', issuerId: 'login', version: 1, jwksUrl })
      return (await jwtVerify(token, keys)).payload.sub
    },
    [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
  }
}

test('keys are fetched once, also for many at once', async () => {
  await using opened = await open()
  const { provider, verify } = opened
  const tokens = await Promise.all(['ann', 'bob', 'cyd'].map((sub) => provider.sign({ sub })))
  expect(await Promise.all(tokens.map(verify))).toEqual(['ann', 'bob', 'cyd'])
  expect(provider.fetches).toBe(1)
})

test('a key that is new is found at once, and the old one goes on as long as it is published', async () => {
  await using opened = await open()
  const { provider, verify } = opened
  const old = provider.key
  expect(await verify(await provider.sign({ sub: 'ann' }))).toBe('ann')
  await provider.rotate()
  const fresh = await Promise.all(['bob', 'cyd'].map((sub) => provider.sign({ sub })))
  expect(await Promise.all(fresh.map(verify))).toEqual(['bob', 'cyd'])
  expect(await verify(await provider.sign({ sub: 'ann' }, {}, old))).toBe('ann')
  expect(provider.fetches).toBe(2)
  provider.retire()
  opened.passMs(600_001)
  await expect(verify(await provider.sign({ sub: 'ann' }, {}, old))).rejects.toThrow(
    /no applicable/,
  )
})

test('made-up keys cause a few fetches and then one at a time, and a new key is still found', async () => {
  await using opened = await open({ everyMs: 200 })
  const { provider, verify } = opened
  await verify(await provider.sign({ sub: 'ann' }))
  const stranger = await makeSigningKey()
  const guess = async () =>
    verify(await provider.sign({ sub: 'eve' }, { kid: `x${Math.random()}` }, stranger))
  for (let nth = 0; nth < 4; nth++) await expect(guess()).rejects.toThrow(/no applicable/)
  expect(provider.fetches).toBe(5)
  // From here on they wait for one fetch together.
  const guesses = Promise.allSettled(Array.from({ length: 30 }, guess))
  await provider.rotate()
  const good = verify(await provider.sign({ sub: 'ann' }))
  expect((await guesses).every(({ status }) => status === 'rejected')).toBe(true)
  expect(await good).toBe('ann')
  expect(provider.fetches).toBeLessThanOrEqual(7)
})

const troubles: Record<string, [(response: ServerResponse) => void, RegExp]> = {
  'answers an error': [(response) => response.writeHead(500).end(), /500/],
  'is slow': [() => undefined, /within 300 ms/],
  'is cut off': [(response) => response.destroy(), /connection/i],
  'is no JSON': [(response) => response.end('<html>'), /no JSON/],
  'has no list': [(response) => response.end('{"keys":{}}'), /no JSON/],
  'is too large': [(response) => response.end(`{"keys":["${'x'.repeat(70_000)}"]}`), /larger/],
  'has too many keys': [
    (response) => response.end(JSON.stringify({ keys: Array(51).fill({ kty: 'RSA' }) })),
    /more than 50/,
  ],
}

test.each(Object.entries(troubles))(
  'a key set that %s opens nothing, and is not asked for again at once',
  async (_, [behave, reason]) => {
    await using opened = await open({ timeoutMs: 300 })
    const { provider, verify, failures } = opened
    provider.behave = behave
    const token = await provider.sign({ sub: 'ann' })
    await expect(verify(token)).rejects.toThrow(/cannot be fetched/)
    await expect(verify(token)).rejects.toThrow(/cannot be fetched/)
    expect(failures).toEqual([expect.stringMatching(reason)])
    expect(provider.fetches).toBe(1)
    provider.behave = undefined
    opened.passMs(10_000)
    expect(await verify(token)).toBe('ann')
  },
)

test('a redirect to an address of the inside is not followed', async () => {
  await using opened = await open()
  await using inside = await startIdentityProvider()
  opened.provider.behave = (response) => response.writeHead(302, { location: inside.jwksUrl }).end()
  const token = await inside.sign({ sub: 'ann' })
  await expect(opened.verify(token)).rejects.toThrow(/cannot be fetched/)
  expect(inside.fetches).toBe(0)
})

test('known keys are used for a day while they cannot be fetched', async () => {
  await using opened = await open()
  const { provider, verify } = opened
  const token = await provider.sign({ sub: 'ann' })
  expect(await verify(token)).toBe('ann')
  provider.behave = (response) => response.writeHead(503).end()
  opened.passMs(86_000_000)
  expect(await verify(token)).toBe('ann')
  // A key that nobody knows may be a new one: that cannot be said now.
  const later = await provider.sign({ sub: 'ann' }, {}, await makeSigningKey())
  await expect(verify(later)).rejects.toThrow(/cannot be fetched/)
  opened.passMs(500_000)
  await expect(verify(token)).rejects.toThrow(/cannot be fetched/)
})

test('secrets in a key set are not used as keys', async () => {
  await using opened = await open()
  const { provider, verify } = opened
  const secret = Buffer.alloc(64, 7)
  const kid = 'shared'
  provider.behave = (response) =>
    response.end(
      JSON.stringify({
        keys: [{ kty: 'oct', k: secret.toString('base64url'), kid, alg: 'HS256' }],
      }),
    )
  const token = await provider.sign({ sub: 'ann' }, { kid })
  await expect(verify(token)).rejects.toThrow(/no applicable/)
})
