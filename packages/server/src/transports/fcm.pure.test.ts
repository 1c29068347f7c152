import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FcmProvider, startFcmProvider } from '../../../testing/src/providers/fcm.ts'
import { type Egress, openEgress } from '../egress/egress.ts'
import { type Fcm, type FcmMessage, openFcm } from './fcm.ts'

let google: FcmProvider
let egress: Egress
let fcm: Fcm
const open = (options: { timeoutMs?: number; clock?: () => number } = {}) =>
  openFcm({
    egress,
    timeoutMs: 5000,
    origin: google.server.origin,
    tokenUri: google.tokenUri,
    ca: google.server.authority.ca,
    ...options,
  })

beforeAll(async () => {
  google = await startFcmProvider()
  egress = openEgress({
    allow: '127.0.0.1',
    http: false,
    perTarget: 5,
    all: 20,
    breaker: { failures: 100, restMs: 1000 },
    ca: google.server.authority.ca,
  })
  fcm = open()
})
afterAll(async () => {
  fcm[Symbol.dispose]()
  await egress[Symbol.asyncDispose]()
  await google[Symbol.asyncDispose]()
})

const sends = '/v1/'
const to = (token: string, more: Partial<FcmMessage> = {}): FcmMessage => ({
  to: { token },
  data: { title: 'Ada', body: 'Hello' },
  priority: 'high',
  ttlSeconds: 3600,
  ...more,
})

describe('a message', () => {
  test('arrives as it was meant', async () => {
    const account = google.account()
    const token = google.register(account)
    const notification = { title: 'Ada', body: 'Hello' }
    const more = { notification, collapseKey: 'message-1', tag: 'message-1' }
    const outcome = await fcm.send(account, to(token, more))
    expect(outcome).toMatchObject({ is: 'accepted', id: expect.stringMatching(/^projects\//) })
    const payload = {
      token,
      data: { title: 'Ada', body: 'Hello' },
      notification,
      android: {
        priority: 'high',
        ttl: '3600s',
        collapse_key: 'message-1',
        notification: { tag: 'message-1' },
      },
    }
    expect(google.screens.on(token)).toEqual([{ tag: 'message-1', count: 1, payload }])
  })

  test('that is sent again shows once', async () => {
    const account = google.account()
    const token = google.register(account)
    for (const _ of [1, 2]) await fcm.send(account, to(token, { collapseKey: 'message-2' }))
    expect(google.screens.on(token)).toMatchObject([{ tag: 'message-2', count: 2 }])
  })

  test('may go to a topic', async () => {
    const account = google.account()
    const outcome = await fcm.send(account, to('', { to: { topic: 'app_user_ada' } }))
    expect(outcome).toMatchObject({ is: 'accepted' })
    expect(google.screens.on('/topics/app_user_ada')).toHaveLength(1)
  })

  test('of more than 4 KiB is refused before anybody is called', async () => {
    const account = google.account()
    const before = google.server.requests
    const data = { body: 'ü'.repeat(2047) }
    expect(await fcm.send(account, to('device', { data }))).toMatchObject({ is: 'refused' })
    expect(google.server.requests).toBe(before)
    const fits = to(google.register(account), { data: { body: 'ü'.repeat(2046) } })
    expect(await fcm.send(account, fits)).toMatchObject({ is: 'accepted' })
  })
})

describe('a device', () => {
  test('that has unregistered, or never was, is gone', async () => {
    const account = google.account()
    const token = google.register(account)
    google.unregister(token)
    expect(await fcm.send(account, to(token))).toEqual({ is: 'gone', reason: 'UNREGISTERED' })
    expect(await fcm.send(account, to('nonsense'))).toEqual({
      is: 'gone',
      reason: 'INVALID_ARGUMENT',
    })
  })

  test('of another sender is kept: the credentials may be the mistake', async () => {
    const token = google.register(google.account())
    const outcome = await fcm.send(google.account(), to(token))
    expect(outcome).toMatchObject({ is: 'refused', reason: /^SENDER_ID_MISMATCH/ })
  })
})

describe('an access token', () => {
  test('is asked for once, by however many at a time, and serves until it nearly expires', async () => {
    let now = Date.now()
    using own = open({ clock: () => now })
    const account = google.account()
    const token = google.register(account)
    const before = google.issued
    const many = Array.from({ length: 50 }, () => own.send(account, to(token)))
    for (const outcome of await Promise.all(many)) expect(outcome.is).toBe('accepted')
    expect(google.issued - before).toBe(1)
    now += 50 * 60_000
    await own.send(account, to(token))
    expect(google.issued - before).toBe(1)
    now += 6 * 60_000
    // The provider's clock has not moved, so the assertion is from the future by its reckoning.
    expect(await own.send(account, to(token))).toMatchObject({ is: 'refused' })
  })

  test('that was taken back is renewed', async () => {
    const account = google.account()
    const token = google.register(account)
    await fcm.send(account, to(token))
    google.expireTokens()
    const before = google.issued
    expect(await fcm.send(account, to(token))).toMatchObject({ is: 'accepted' })
    expect(google.issued - before).toBe(1)
  })

  test('is not lent to whoever knows only the names of a key', async () => {
    const account = google.account()
    const token = google.register(account)
    await fcm.send(account, to(token))
    const thief = { ...account, privateKey: google.account().privateKey }
    const outcome = await fcm.send(thief, to(token))
    expect(outcome).toMatchObject({ is: 'refused', reason: /invalid_grant/ })
    const unreadable = { ...account, privateKey: 'nothing' }
    expect(await fcm.send(unreadable, to(token))).toMatchObject({ is: 'refused' })
    expect(google.screens.on(token)).toHaveLength(1)
  })

  test('that is refused is not asked for again at once', async () => {
    const account = { ...google.account(), clientEmail: 'nobody@example' }
    const before = google.server.requests
    for (const _ of [1, 2, 3]) {
      expect(await fcm.send(account, to('device'))).toMatchObject({ is: 'refused' })
    }
    expect(google.server.requests - before).toBe(1)
  })

  test('that cannot be had just now means later', async () => {
    const account = google.account()
    const token = google.register(account)
    google.server.fail('/token', { status: 503 }, { status: 429 })
    expect(await fcm.send(account, to(token))).toMatchObject({ is: 'later' })
    expect(await fcm.send(account, to(token))).toMatchObject({ is: 'later' })
    expect(await fcm.send(account, to(token))).toMatchObject({ is: 'accepted' })
  })
})

describe('what goes wrong', () => {
  const google429 = {
    error: { code: 429, status: 'RESOURCE_EXHAUSTED', details: [{ errorCode: 'QUOTA_EXCEEDED' }] },
  }
  const third = {
    error: {
      code: 401,
      status: 'UNAUTHENTICATED',
      details: [{ errorCode: 'THIRD_PARTY_AUTH_ERROR' }],
    },
  }
  test.each([
    [
      { status: 429, headers: { 'retry-after': '7' }, body: google429 },
      { is: 'later', reason: 'QUOTA_EXCEEDED', retryAfterMs: 7000 },
    ],
    [
      { status: 429, body: google429 },
      { is: 'later', retryAfterMs: 60_000 },
    ],
    [
      { status: 500, body: { error: { status: 'INTERNAL' } } },
      { is: 'later', reason: 'INTERNAL' },
    ],
    [
      { status: 503, headers: { 'retry-after': '2' } },
      { is: 'later', retryAfterMs: 2000 },
    ],
    [
      { status: 401, body: third },
      { is: 'refused', reason: 'THIRD_PARTY_AUTH_ERROR' },
    ],
    [
      {
        status: 400,
        body: { error: { status: 'INVALID_ARGUMENT', message: 'Android message is too big' } },
      },
      { is: 'refused' },
    ],
    ['reset', { is: 'later' }],
  ] as const)('%j', async (fault, outcome) => {
    const account = google.account()
    const token = google.register(account)
    await fcm.send(account, to(token))
    google.server.fail(sends, fault)
    const requests = google.server.requests
    expect(await fcm.send(account, to(token))).toMatchObject(outcome)
    expect(google.server.requests - requests).toBe(1)
    expect(google.screens.on(token)).toHaveLength(1)
    expect(await fcm.send(account, to(token))).toMatchObject({ is: 'accepted' })
  })

  test('silence ends at the time limit', async () => {
    using hasty = open({ timeoutMs: 2000 })
    google.server.fail(sends, 'silence')
    const account = google.account()
    expect(await hasty.send(account, to('device'))).toMatchObject({
      is: 'later',
      reason: /2000 ms/,
    })
  })

  test('nobody there', async () => {
    using lost = openFcm({
      egress,
      timeoutMs: 5000,
      origin: 'https://127.0.0.1:1',
      tokenUri: google.tokenUri,
    })
    expect(await lost.send(google.account(), to('device'))).toMatchObject({ is: 'later' })
  })
})
