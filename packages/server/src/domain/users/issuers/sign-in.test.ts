import { setTimeout as after } from 'node:timers/promises'
import { connect, type DeviceClient, deviceClient } from '@chorale/sdk'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { badJwts } from '../../../../../testing/src/providers/bad-jwts.ts'
import { startIdentityProvider } from '../../../../../testing/src/providers/identity-provider.ts'
import { note } from '../../../../../testing/src/service/contract-coverage.ts'
import { connectDevice } from '../../../../../testing/src/service/device.ts'
import { startRealtimeFixture } from '../../../../../testing/src/service/realtime-fixture.ts'
import { startService } from '../../../../../testing/src/service/service.ts'
import { readConfig } from '../../../config.ts'

const fixture = await startRealtimeFixture({
  EGRESS_ALLOW: '127.0.0.0/8',
  EGRESS_HTTP: 'true',
  AUTH_REFUSALS_PER_MINUTE: '0',
  // What is closed is closed by a signal, or because its time is up.
  GATEWAY_COMPARE_MS: '60000',
})
const { app, full } = fixture
const provider = await startIdentityProvider()
const elsewhere = await startIdentityProvider()
afterAll(async () => {
  await fixture[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
  await elsewhere[Symbol.asyncDispose]()
})

/** Not read from the outbox: what is published is deleted there, sooner or later. */
const created: string[] = []
app.startWorker([
  {
    name: 'created',
    idempotent: true,
    on: {
      'user.created': async ({ payload }) => {
        created.push(payload.uid)
        return undefined
      },
    },
  },
])

const login = { params: { issuerId: 'login' } }
const { issuer, jwksUrl } = provider
const trusted = { issuer, jwksUrl, audiences: ['chat', 'also'] }

beforeAll(async () => {
  await app.given.users('ann', 'bob', 'idle')
  await full.deactivateUsers({ body: { uidsToDeactivate: ['idle'] } })
  await full.createIssuer({ body: { id: 'login', ...trusted } })
})

function callsWith(authToken: string): DeviceClient {
  return deviceClient({ baseUrl: `${app.origin}/v3`, appId: app.appId, authToken })
}

function say(calls: DeviceClient) {
  const to = { receiver: 'bob', receiverType: 'user', type: 'text' } as const
  return calls.sendMessage({ body: { ...to, data: { text: 'hi' } } })
}

/** The uid as whom it is let in, or the code of the refusal. */
async function outcomeOf(authToken: string): Promise<string> {
  const headers = { appid: app.appId, authtoken: authToken }
  const response = await fetch(`${app.origin}/v3/me`, { headers })
  const body = await response.json()
  note('getMe', body.error?.code ?? 'ok')
  return body.data?.uid ?? `${response.status} ${body.error.code}`
}

const refused = '401 AUTH_ERR_JWT_REFUSED'

describe('a JWT in the place of an auth token', () => {
  test('is refused for now, and not for good, while the keys of its issuer cannot be fetched', async () => {
    await using away = await startIdentityProvider()
    away.behave = (response) => response.writeHead(503).end()
    const { issuer, jwksUrl } = away
    await full.createIssuer({ body: { id: 'away', issuer, jwksUrl, audiences: ['chat'] } })
    expect(await outcomeOf(await away.sign({ sub: 'ann' }))).toBe('503 AUTH_ERR_JWKS_UNAVAILABLE')
    await full.deleteIssuer({ params: { issuerId: 'away' } })
  })

  test('is let in over REST and WebSocket, and is remembered', async () => {
    const authToken = await provider.sign({ sub: 'ann' })
    expect(await outcomeOf(authToken)).toBe('ann')
    await using device = await connectDevice({ ...app, authToken })
    expect((await device.next('welcome')).user.uid).toBe('ann')
    const before = provider.fetches
    for (let nth = 0; nth < 5; nth++) expect(await outcomeOf(authToken)).toBe('ann')
    const sent = await say(callsWith(authToken))
    expect(sent.data).toMatchObject({ sender: 'ann' })
    expect(provider.fetches).toBe(before)
  })

  test('may be signed for one of several audiences, and name them as a list', async () => {
    expect(await outcomeOf(await provider.sign({ sub: 'ann', aud: ['x', 'also'] }))).toBe('ann')
  })

  test('is accepted with new keys from their first second, and with old ones meanwhile', async () => {
    const old = provider.key
    for (let nth = 0; nth < 3; nth++) {
      await provider.rotate()
      const tokens = await Promise.all([
        provider.sign({ sub: 'ann' }),
        provider.sign({ sub: 'bob' }),
        provider.sign({ sub: 'ann' }, {}, old),
      ])
      expect(await Promise.all(tokens.map(outcomeOf))).toEqual(['ann', 'bob', 'ann'])
    }
  })

  test.each(['ES256', 'PS256', 'EdDSA'])(
    'may be signed with %s where the app allows it',
    async (alg) => {
      await provider.rotate(alg)
      const token = await provider.sign({ sub: 'ann' })
      await full.updateIssuer({ ...login, body: { algorithms: ['RS256'] } })
      expect(await outcomeOf(token)).toBe(refused)
      await full.updateIssuer({
        ...login,
        body: { algorithms: ['RS256', 'ES256', 'PS256', 'EdDSA'] },
      })
      expect(await outcomeOf(token)).toBe('ann')
      await full.updateIssuer({ ...login, body: { algorithms: ['RS256'] } })
      await provider.rotate('RS256')
    },
  )
})

describe('bad JWTs', () => {
  test('are refused over REST and WebSocket, each of them', async () => {
    const other = await app.anotherApp()
    const theirs = { issuer: elsewhere.issuer, jwksUrl: elsewhere.jwksUrl, audiences: ['chat'] }
    await app.client(other, 'full').createIssuer({ body: { id: 'login', ...theirs } })
    const elliptic = await provider.rotate('ES256')
    await provider.rotate('RS256')
    expect(await outcomeOf(await provider.sign({ sub: 'ann' }))).toBe('ann')
    const bad = await badJwts({ provider, elliptic, elsewhere })
    const names = Object.keys(bad)
    expect(names.length).toBeGreaterThanOrEqual(60)
    const strangers = elsewhere.fetches
    // Together: those with unknown keys wait for one fetch.
    const outcomes = await Promise.all(
      Object.entries(bad).map(async ([name, token]) => `${name}: ${await outcomeOf(token)}`),
    )
    expect(outcomes.filter((outcome) => !/: 401 \w+$/.test(outcome))).toEqual([])
    // Its fetches count anew.
    await full.updateIssuer({ ...login, body: {} })
    const some = ['alg none', 'a kid that nobody knows', 'another audience', 'a second too late']
    const closed = await Promise.all(some.map((name) => closeCodeOf(bad[name] ?? '')))
    expect(closed).toEqual([4401, 4401, 4401, 4401])
    expect(await closeCodeOf(bad['more than 8192 characters'] ?? '')).toBe(4400)
    // Nobody followed an address in a header.
    expect(elsewhere.fetches).toBe(strangers)
  })

  test('count as failures of the address that they come from', async () => {
    const config = readConfig({ ...fixture.settings, AUTH_REFUSALS_PER_MINUTE: '5' })
    const log = pino({ level: 'silent' })
    await using other = await startService({ config, log, publishes: false, gateway: false })
    const me = async (authtoken: string) =>
      (await fetch(`${other.origin}/v3/me`, { headers: { appid: app.appId, authtoken } })).status
    const good = await provider.sign({ sub: 'ann' })
    expect(await me(good)).toBe(200)
    const bad = await elsewhere.sign({ sub: 'ann' })
    for (let nth = 0; nth < 5; nth++) expect(await me(bad)).toBe(401)
    expect(await me(bad)).toBe(429)
    // One that was good from there still is.
    expect(await me(good)).toBe(200)
  })
})

async function closeCodeOf(authToken: string): Promise<number> {
  await using device = await connectDevice({ origin: app.origin, appId: app.appId })
  device.send({ type: 'auth', authToken })
  return await device.closed
}

describe('the user of a JWT', () => {
  const claims = {
    name: '  Cleo\0 Roe ',
    picture: 'https://a.example/c.png',
    roles: ['x', 'editor'],
  }
  beforeAll(async () => {
    await app.given.role('editor')
    await app.given.role('boss')
  })

  test('is created with the first one, if the app wants that, as its claims say', async () => {
    const token = await provider.sign({ sub: 'cleo', ...claims })
    expect(await outcomeOf(token)).toBe(refused)
    await full.updateIssuer({
      ...login,
      body: { createUsers: true, roleClaim: 'roles', allowedRoles: ['editor'] },
    })
    const both = await Promise.all([outcomeOf(token), outcomeOf(token)])
    expect(both).toEqual(['cleo', 'cleo'])
    const { data } = await full.getUser({ params: { uid: 'cleo' } })
    expect(data).toMatchObject({ name: 'Cleo Roe', avatar: claims.picture, role: 'editor' })
    await expect.poll(() => created).toContain('cleo')
    expect(created.filter((uid) => uid === 'cleo')).toHaveLength(1)
  })

  test('gets no role that the app has not listed, and no odd avatar', async () => {
    const odd = { roles: 'boss', picture: 'javascript:alert(1)', name: 7 }
    await outcomeOf(await provider.sign({ sub: 'dora', ...odd }))
    const { data } = await full.getUser({ params: { uid: 'dora' } })
    expect(data).toMatchObject({ uid: 'dora', name: 'dora', role: 'default' })
    expect(data.avatar).toBeUndefined()
  })

  test('follows later claims only if the app wants that, and never out of a role of its own', async () => {
    const seen = async (uid: string, more: object) => {
      await outcomeOf(await provider.sign({ sub: uid, ...more }))
      const { data } = await full.getUser({ params: { uid } })
      return `${data.name}, ${data.role}`
    }
    expect(await seen('cleo', { name: 'Cleopatra' })).toBe('Cleo Roe, editor')
    await full.updateIssuer({ ...login, body: { updateUsers: true } })
    expect(await seen('cleo', { name: 'Cleopatra' })).toBe('Cleopatra, default')
    await full.updateUser({ params: { uid: 'cleo' }, body: { role: 'boss' } })
    expect(await seen('cleo', { roles: 'editor' })).toBe('Cleopatra, boss')
  })

  test('has the uid that the app makes of a claim', async () => {
    const uidBy = async (body: object, sub: string) => {
      await full.updateIssuer({ ...login, body })
      return outcomeOf(await provider.sign({ sub, realm: { name: 'Finn' } }))
    }
    expect(await uidBy({ uidForm: 'lowercase' }, 'EvA')).toBe('eva')
    expect(await uidBy({ uidForm: 'sha256' }, 'auth0|5f7c8ec7c33c6c004bbafe82')).toBe(
      '41aa487887e3c45c19b2448b2f036552',
    )
    const fromObject = { uidForm: 'lowercase', uidClaim: 'realm.name', uidPrefix: 'kc-' }
    expect(await uidBy(fromObject, 'x')).toBe('kc-finn')
    await full.updateIssuer({
      ...login,
      body: { uidForm: 'exact', uidClaim: 'sub', unset: ['uidPrefix', 'roleClaim'] },
    })
  })
})

describe('a JWT ends', () => {
  /** Warm: this process remembers the caller, and a device is connected. */
  async function connected(uid: string) {
    const authToken = await provider.sign({ sub: uid })
    const device = await connectDevice({ origin: app.origin, appId: app.appId, authToken })
    await device.next('welcome')
    const calls = callsWith(authToken)
    await say(calls)
    await say(calls)
    return { authToken, device, calls }
  }

  const ends: Record<string, (calls: DeviceClient, uid: string) => Promise<unknown>> = {
    'when its device logs out': (calls) => calls.deleteMyAuthToken(),
    'when all tokens of its user are deleted': (_, uid) =>
      full.deleteAuthTokens({ params: { uid } }),
    'when its issuer is switched off': () =>
      full.updateIssuer({ ...login, body: { enabled: false } }),
    'when its issuer may sign for others only': () =>
      full.updateIssuer({ ...login, body: { audiences: ['shop'] } }),
    'when its issuer is not trusted any more': () => full.deleteIssuer(login),
    'when its user is deactivated': (_, uid) =>
      full.deactivateUsers({ body: { uidsToDeactivate: [uid] } }),
  }

  test.each(Object.entries(ends))(
    '%s: for the next call, and for open connections',
    async (name, end) => {
      await full.deleteIssuer(login).catch(() => undefined)
      await full.createIssuer({ body: { id: 'login', ...trusted, createUsers: true } })
      const uid = name.replaceAll(' ', '-')
      const { authToken, device, calls } = await connected(uid)
      await using _device = device
      await end(calls, uid)
      await expect(say(calls)).rejects.toMatchObject({ status: 401 })
      expect(await outcomeOf(authToken)).toMatch(/^401/)
      expect(await device.closed).toBe(4401)
    },
  )

  test('when it expires: within five seconds', async () => {
    const expiresAt = Math.floor(Date.now() / 1000) + 3
    const authToken = await provider.sign({ sub: 'gus', exp: expiresAt })
    await using device = await connectDevice({ origin: app.origin, appId: app.appId, authToken })
    expect(await device.closed).toBe(4401)
    expect(Date.now() / 1000 - expiresAt).toBeGreaterThanOrEqual(0)
    expect(Date.now() / 1000 - expiresAt).toBeLessThan(5)
    expect(await outcomeOf(authToken)).toBe(refused)
  })

  test('when its user is deleted for ever, who is not created again by it', async () => {
    const authToken = await provider.sign({ sub: 'hal' })
    expect(await outcomeOf(authToken)).toBe('hal')
    await full.deleteUser({ params: { uid: 'hal' }, body: { permanent: true } })
    expect(await outcomeOf(authToken)).toBe(refused)
    await expect(full.getUser({ params: { uid: 'hal' } })).rejects.toMatchObject({ status: 404 })
  })
})

test('the SDK goes on across the ends of its JWTs: nothing is lost, nothing comes twice', async () => {
  await app.given.users('ida')
  let asked = 0
  const short = () => {
    asked++
    return provider.sign({ sub: 'ida', exp: Math.floor(Date.now() / 1000) + 2 })
  }
  const heard: string[] = []
  const session = connect({
    url: `${app.origin.replace('http', 'ws')}/v3/realtime`,
    appId: app.appId,
    authToken: short,
    backoff: { baseMs: 20, maxMs: 200 },
  })
  session.on('message', ({ message }) => heard.push(`${message.sender}: ${message.data.text}`))
  await session.user
  const stored: Promise<unknown>[] = []
  const texts: string[] = []
  // Until three tokens have ended, whenever that is.
  for (let n = 0; asked < 4; n++) {
    texts.push(`bob: ${n}`, `ida: ${n}`)
    await fixture.say('bob', 'ida', String(n))
    const draft = { receiver: 'bob', receiverType: 'user', data: { text: String(n) } } as const
    stored.push(session.send(draft).stored)
    await after(50)
  }
  await Promise.all(stored)
  await expect.poll(() => heard.length, { timeout: 10_000 }).toBe(texts.length)
  expect(heard.toSorted()).toEqual(texts.toSorted())
  session.close()
})
