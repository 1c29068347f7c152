import { createECDH } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  decrypt,
  startWebPushProvider,
  type WebPushProvider,
} from '../../../testing/src/providers/web-push.ts'
import { type Egress, openEgress } from '../egress/egress.ts'
import { openWebPush, type WebPush, type WebPushMessage } from './web-push.ts'

let service: WebPushProvider
let egress: Egress
let webPush: WebPush
const opened = new AsyncDisposableStack()
const openWith = (allow: string) =>
  opened.use(
    openEgress({
      allow,
      http: false,
      perTarget: 5,
      all: 20,
      ca: service.server.authority.ca,
      breaker: { failures: 100, restMs: 1000 },
    }),
  )

beforeAll(async () => {
  service = opened.use(await startWebPushProvider())
  egress = openWith('127.0.0.1')
  webPush = openWebPush({ egress, timeoutMs: 5000 })
})
afterAll(() => opened.disposeAsync())

const message: WebPushMessage = {
  payload: '{"title":"Ada"}',
  ttlSeconds: 60,
  urgency: 'high',
}

describe('a message', () => {
  test('can be read by the browser, and by it alone', async () => {
    const keys = service.keys()
    const subscription = service.subscribe(keys)
    const outcome = await webPush.send(keys, subscription, { ...message, payload: 'Grüße' })
    expect(outcome).toMatchObject({ is: 'accepted', id: expect.stringContaining('/message/') })
    expect(service.screens.on(subscription.endpoint)).toEqual([
      { tag: undefined, count: 1, payload: 'Grüße' },
    ])
  })

  test('is decrypted here as in the example of RFC 8291', () => {
    const ecdh = createECDH('prime256v1')
    ecdh.setPrivateKey('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94', 'base64url')
    const auth = Buffer.from('BTBZMqHH6r4Tts7J_aSIgg', 'base64url')
    const body = Buffer.from(
      'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmY' +
        'WAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexS' +
        'gSxsj_Qulcy4a-fN',
      'base64url',
    )
    expect(decrypt(body, { ecdh, auth })).toBe('When I grow up, I want to be a watermelon')
  })

  test.each(['message-7', 'a tag: with signs', 'x'.repeat(200)])(
    'with the tag %s shows once',
    async (tag) => {
      const keys = service.keys()
      const subscription = service.subscribe(keys)
      for (const _ of [1, 2]) await webPush.send(keys, subscription, { ...message, tag })
      expect(service.screens.on(subscription.endpoint)).toMatchObject([{ count: 2 }])
    },
  )

  test('has at most as many bytes as push services take', async () => {
    const keys = service.keys()
    const send = (bytes: number) =>
      webPush.send(keys, service.subscribe(keys), { ...message, payload: 'x'.repeat(bytes) })
    expect(await send(3993)).toMatchObject({ is: 'accepted' })
    expect(await send(3994)).toMatchObject({ is: 'refused' })
  })

  test('that somebody else has signed is refused', async () => {
    const outcome = await webPush.send(service.keys(), service.subscribe(service.keys()), message)
    expect(outcome).toEqual({ is: 'refused', reason: 'status 403' })
    const unreadable = { ...service.keys(), privateKey: 'nothing' }
    expect(await webPush.send(unreadable, service.subscribe(unreadable), message)).toMatchObject({
      is: 'refused',
    })
  })
})

describe('a subscription', () => {
  test('that has ended, or never was, is gone', async () => {
    const keys = service.keys()
    const subscription = service.subscribe(keys)
    service.unsubscribe(subscription)
    expect(await webPush.send(keys, subscription, message)).toEqual({
      is: 'gone',
      reason: 'status 410',
    })
    const elsewhere = { ...subscription, endpoint: `${service.server.origin}/push/unknown` }
    expect(await webPush.send(keys, elsewhere, message)).toMatchObject({ is: 'gone' })
  })

  test('that leads into our own network is gone, and nobody is called', async () => {
    const strict = openWebPush({ egress: openWith(''), timeoutMs: 5000 })
    const keys = service.keys()
    const before = service.server.connections
    const outcome = await strict.send(keys, service.subscribe(keys), message)
    expect(outcome).toMatchObject({ is: 'gone', reason: /not a public address/ })
    expect(service.server.connections).toBe(before)
  })

  test.each([
    { p256dh: 'short' },
    { p256dh: Buffer.alloc(65, 4).toString('base64url') },
    { auth: '' },
    { endpoint: 'nowhere' },
  ])('with %j is gone', async (wrong) => {
    const keys = service.keys()
    const subscription = { ...service.subscribe(keys), ...wrong }
    expect(await webPush.send(keys, subscription, message)).toMatchObject({ is: 'gone' })
  })
})

test.each([
  [
    { status: 429, headers: { 'retry-after': '30' } },
    { is: 'later', retryAfterMs: 30_000 },
  ],
  [{ status: 503 }, { is: 'later', reason: 'status 503' }],
  [{ status: 400 }, { is: 'refused' }],
  [{ status: 307, headers: { location: 'https://127.0.0.1/' } }, { is: 'refused' }],
] as const)('a push service that answers %j', async (fault, outcome) => {
  const keys = service.keys()
  service.server.fail('/push/', fault)
  expect(await webPush.send(keys, service.subscribe(keys), message)).toMatchObject(outcome)
})
