import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApnsProvider, startApnsProvider } from '../../../testing/src/providers/apns.ts'
import { type Apns, type ApnsCredentials, type ApnsNotification, openApns } from './apns.ts'

const app = 'com.example.chat'
const devices = '/3/'
let apple: ApnsProvider
let apns: Apns
const open = (options: { timeoutMs?: number; clock?: () => number } = {}) =>
  openApns({
    timeoutMs: 5000,
    production: apple.server.origin,
    ca: apple.server.authority.ca,
    ...options,
  })

beforeAll(async () => {
  apple = await startApnsProvider()
  apns = open()
})
afterAll(async () => {
  apns[Symbol.dispose]()
  await apple[Symbol.asyncDispose]()
})

const to = (deviceToken: string, more: Partial<ApnsNotification> = {}): ApnsNotification => ({
  deviceToken,
  topic: app,
  pushType: 'alert',
  id: randomUUID(),
  expiresAt: 2_000_000_000,
  payload: { aps: { alert: { title: 'Ada', body: 'Hello' } } },
  ...more,
})
const send = (key: ApnsCredentials, notification: ApnsNotification, by = apns) =>
  by.send(key, 'production', notification)

describe('a notification', () => {
  test('arrives as it was meant', async () => {
    const token = apple.register()
    const notification = to(token, { collapseId: 'message-1' })
    const outcome = await send(apple.team(app), notification)
    expect(outcome).toEqual({ is: 'accepted', id: notification.id })
    const { payload } = notification
    expect(apple.screens.on(token)).toEqual([{ tag: 'message-1', count: 1, payload }])
  })

  test('that is sent again shows once, under a name of any length', async () => {
    const key = apple.team(app)
    const token = apple.register()
    const notification = to(token, { collapseId: 'ü'.repeat(500) })
    for (const _ of [1, 2]) await send(key, notification)
    expect(apple.screens.on(token)).toMatchObject([{ count: 2 }])
  })

  test.each(['alert', 'background', 'voip'] as const)('of the type %s', async (pushType) => {
    const outcome = await send(apple.team(app), to(apple.register(), { pushType }))
    expect(outcome).toMatchObject({ is: 'accepted' })
  })

  test.each([
    ['alert', 4096],
    ['voip', 5120],
  ] as const)('of the type %s has at most %i bytes', async (pushType, most) => {
    const key = apple.team(app)
    const token = apple.register()
    const sized = (bytes: number) => ({ pushType, payload: { a: 'x'.repeat(bytes - 8) } })
    expect(await send(key, to(token, sized(most)))).toMatchObject({ is: 'accepted' })
    const before = apple.server.requests
    const outcome = await send(key, to(token, sized(most + 1)))
    expect(outcome).toEqual({ is: 'refused', reason: 'PayloadTooLarge' })
    expect(apple.server.requests).toBe(before)
  })

  test('may be vouched for by a certificate', async () => {
    const token = apple.register()
    expect(await send(apple.certificate(app), to(token))).toMatchObject({ is: 'accepted' })
    const other = apple.certificate('com.example.other')
    expect(await send(other, to(token))).toEqual({ is: 'refused', reason: 'TopicDisallowed' })
    expect(apple.screens.on(token)).toHaveLength(1)
  })
})

describe('a device', () => {
  test('that has unregistered, or never was, is gone', async () => {
    const key = apple.team(app)
    const token = apple.register()
    apple.unregister(token)
    expect(await send(key, to(token))).toEqual({ is: 'gone', reason: 'Unregistered' })
    expect(await send(key, to('abcdef'))).toEqual({ is: 'gone', reason: 'BadDeviceToken' })
  })

  test('whose token would lead to another path is gone, and nobody is called', async () => {
    const before = apple.server.requests
    const outcome = await send(apple.team(app), to('../../1/apps'))
    expect(outcome).toEqual({ is: 'gone', reason: 'BadDeviceToken' })
    expect(apple.server.requests).toBe(before)
  })
})

describe('a provider token', () => {
  test('serves for 40 minutes', async () => {
    let now = Date.now() - 50 * 60_000
    using own = open({ clock: () => now })
    const key = apple.team(app)
    const before = apple.providerTokens
    const many = Array.from({ length: 50 }, () => send(key, to(apple.register()), own))
    for (const outcome of await Promise.all(many)) expect(outcome.is).toBe('accepted')
    now += 39 * 60_000
    await send(key, to(apple.register()), own)
    expect(apple.providerTokens - before).toBe(1)
    now += 60_000
    await send(key, to(apple.register()), own)
    expect(apple.providerTokens - before).toBe(2)
  })

  test('that is no longer taken is renewed', async () => {
    let now = Date.now() - 1000
    using own = open({ clock: () => now })
    const key = apple.team(app)
    await send(key, to(apple.register()), own)
    apple.expireTokens()
    now += 1000
    expect(await send(key, to(apple.register()), own)).toMatchObject({ is: 'accepted' })
  })

  test('of a clock that is hours behind means later, and no endless renewal', async () => {
    using slow = open({ clock: () => Date.now() - 2 * 3_600_000 })
    const before = apple.server.requests
    const outcome = await send(apple.team(app), to(apple.register()), slow)
    expect(outcome).toEqual({ is: 'later', reason: 'ExpiredProviderToken' })
    expect(apple.server.requests - before).toBe(2)
  })

  test('is not lent to whoever knows only the names of a key', async () => {
    const key = apple.team(app)
    await send(key, to(apple.register()))
    const thief = { ...key, key: apple.team(app).key }
    expect(await send(thief, to(apple.register()))).toEqual({
      is: 'refused',
      reason: 'InvalidProviderToken',
    })
    const unreadable = { ...key, key: 'nothing' }
    expect(await send(unreadable, to(apple.register()))).toMatchObject({ is: 'refused' })
  })

  test('of a team opens no app of another', async () => {
    const outcome = await send(apple.team('com.example.other'), to(apple.register()))
    expect(outcome).toEqual({ is: 'refused', reason: 'TopicDisallowed' })
  })
})

describe('what goes wrong', () => {
  test.each([
    [
      { status: 429, headers: { 'retry-after': '7' }, body: { reason: 'TooManyRequests' } },
      { is: 'later', reason: 'TooManyRequests', retryAfterMs: 7000 },
    ],
    [
      { status: 500, body: { reason: 'InternalServerError' } },
      { is: 'later', reason: 'InternalServerError' },
    ],
    [
      { status: 503, body: { reason: 'Shutdown' } },
      { is: 'later', reason: 'Shutdown' },
    ],
    [{ status: 400, body: { reason: 'DeviceTokenNotForTopic' } }, { is: 'refused' }],
    [
      { status: 410, body: { reason: 'ExpiredToken' } },
      { is: 'gone', reason: 'ExpiredToken' },
    ],
    [
      { status: 502, body: 'not what was promised' },
      { is: 'later', reason: 'status 502' },
    ],
    ['reset', { is: 'later' }],
  ] as const)('%j', async (fault, outcome) => {
    const key = apple.team(app)
    apple.server.fail(devices, fault)
    expect(await send(key, to(apple.register()))).toMatchObject(outcome)
    expect(await send(key, to(apple.register()))).toMatchObject({ is: 'accepted' })
  })

  test('silence ends at the time limit, and the connection stays, since it has a pulse', async () => {
    using hasty = open({ timeoutMs: 2000 })
    const key = apple.team(app)
    await send(key, to(apple.register()), hasty)
    const before = apple.server.connections
    apple.server.fail(devices, 'silence')
    expect(await send(key, to(apple.register()), hasty)).toMatchObject({ is: 'later' })
    expect(await send(key, to(apple.register()), hasty)).toMatchObject({ is: 'accepted' })
    expect(apple.server.connections).toBe(before)
  })
})
