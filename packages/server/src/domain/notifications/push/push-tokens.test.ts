import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'
import { activePushTokens, markTokenGone } from './push-tokens.sql.ts'

// Of one second are all of them, so lists are in the order of their tokens.
const now = 1_800_000_000
const app = await startTestApp({ clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const calls = app.as('full')
const db = { appId: app.appId, db: app.db }

const login = async (uid: string) =>
  (await calls.createAuthToken({ params: { uid }, body: { force: true } })).data.authToken
const register = (authToken: string, fcmToken: string, more: { providerId?: string } = {}) =>
  calls.registerPushToken({ body: { platform: 'fcm_android', authToken, fcmToken, ...more } })
const tokens = async (authToken: string, all?: boolean) => {
  const query = { authToken, ...(all !== undefined && { all }) }
  return (await calls.listPushTokens({ query })).data.pushTokens
}
const named = (list: readonly { readonly pushToken: string }[]) =>
  list.map(({ pushToken }) => pushToken)
const hashOf = (pushToken: string) => createHash('sha256').update(pushToken).digest()

beforeAll(async () => {
  for (const uid of ['ann', 'bob', 'eve']) await calls.createUser({ body: { uid, name: uid } })
})

describe('a session', () => {
  test('has one token of each type: a new one takes the place of the old', async () => {
    const authToken = await login('ann')
    await register(authToken, 'f:one')
    const deviceToken = 'aabb'
    await calls.registerPushToken({ body: { platform: 'apns_ios_device', authToken, deviceToken } })
    const voip = { platform: 'apns_ios_voip', authToken, voipToken: 'ccdd' } as const
    await calls.registerPushToken({ body: voip })
    expect(await tokens(authToken)).toEqual([
      {
        authToken,
        uid: 'ann',
        platform: 'apns_ios_device',
        providerId: '',
        pushToken: 'aabb',
        pushTokenType: 'chat',
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
        updatedAt: expect.stringMatching(/Z$/),
      },
      expect.objectContaining({
        platform: 'apns_ios_voip',
        pushToken: 'ccdd',
        pushTokenType: 'call',
      }),
    ])
  })

  test('loses a token to the session that registers it later', async () => {
    const [first, second] = [await login('ann'), await login('bob')]
    await register(first, 'shared')
    await register(second, 'shared')
    expect(await tokens(first)).toEqual([])
    expect(await tokens(second)).toMatchObject([{ uid: 'bob', pushToken: 'shared' }])
  })

  test('ends with its auth token, and its push token with it', async () => {
    const [kept, ended] = [await login('eve'), await login('eve')]
    await register(kept, 'kept')
    await register(ended, 'ended')
    expect(named(await tokens(kept, true))).toEqual(['ended', 'kept'])
    await calls.deleteAuthToken({ params: { uid: 'eve', authToken: ended } })
    expect(named(await tokens(kept, true))).toEqual(['kept'])
    await calls.deleteAuthTokens({ params: { uid: 'eve' } })
    expect(await activePushTokens(db, ['eve'], now)).toEqual([])
  })

  test('is asked for its own tokens, its user for all', async () => {
    const [one, two] = [await login('eve'), await login('eve')]
    await register(one, 'eve-1')
    await register(two, 'eve-2')
    expect(named(await tokens(one))).toEqual(['eve-1'])
    expect(named(await tokens(one, true))).toEqual(['eve-1', 'eve-2'])
    const body = { authToken: one }
    const gone = await calls.deletePushTokens({ body })
    expect(named(gone.data.pushTokens)).toEqual(['eve-1'])
    await register(one, 'eve-1')
    const single = await calls.deletePushToken({ params: { pushToken: 'eve-2' }, body })
    expect(named(single.data.pushTokens)).toEqual(['eve-2'])
    await register(two, 'eve-2')
    const all = await calls.deletePushTokens({ query: { all: true }, body })
    expect(named(all.data.pushTokens)).toEqual(['eve-1', 'eve-2'])
    expect(await tokens(two, true)).toEqual([])
    const again = calls.deletePushToken({ params: { pushToken: 'eve-2' }, body })
    await expect(again).rejects.toMatchObject({ code: 'ERR_PUSH_TOKEN_NOT_FOUND' })
  })
})

test('M5: a device sees the auth token of no other session of its user', async () => {
  await calls.createUser({ body: { uid: 'two', name: 'two' } })
  const [phone, laptop] = [await app.device('two'), await login('two')]
  const registered = { platform: 'fcm_android', fcmToken: 'of-the-phone' } as const
  await phone.calls.registerPushToken({ body: registered })
  await register(laptop, 'of-the-laptop')
  // Its own header says which session it is: nothing stands in the address.
  const own = await phone.calls.listPushTokens({ query: {} })
  expect(own.data.pushTokens).toMatchObject([{ authToken: phone.authToken }])
  const masked = `********${laptop.slice(-4)}`
  const all = [
    { pushToken: 'of-the-laptop', authToken: masked },
    { pushToken: 'of-the-phone', authToken: phone.authToken },
  ]
  const seen = await phone.calls.listPushTokens({ query: { all: true } })
  expect(seen.data.pushTokens).toMatchObject(all)
  expect(await tokens(laptop, true)).toMatchObject([{ authToken: laptop }, {}])
  const gone = await phone.calls.deletePushTokens({
    query: { all: true },
    body: { authToken: phone.authToken },
  })
  expect(gone.data.pushTokens).toMatchObject(all)
})

test('a token without a provider has the default one, also when that changes', async () => {
  const account = { project_id: 'p', client_email: 'c@p.example', private_key: 'secret of tea' }
  const addFcm = (providerId: string) =>
    calls.createFcmProvider({ body: { providerId, serviceAccountCreds: account } })
  const [plain, named, stray] = [await login('ann'), await login('ann'), await login('ann')]
  await addFcm('first')
  await addFcm('second')
  await register(plain, 'plain')
  await register(named, 'named', { providerId: 'first' })
  await register(stray, 'stray', { providerId: 'unheard-of' })
  expect(await tokens(plain)).toMatchObject([{ providerId: 'first' }])
  await calls.setDefaultFcmProvider({ params: { providerId: 'second' } })
  expect(await tokens(plain)).toMatchObject([{ providerId: 'second' }])
  expect(await tokens(named)).toMatchObject([{ providerId: 'first' }])
  expect(await activePushTokens(db, ['ann'], now)).toMatchObject([
    { pushToken: 'aabb', kind: 'apns', providerId: null, hasProvider: false },
    { pushToken: 'ccdd', type: 'call', hasProvider: false },
    { pushToken: 'named', kind: 'fcm', type: 'chat', providerId: 'first', hasProvider: true },
    { pushToken: 'plain', providerId: 'second', hasProvider: true },
    { pushToken: 'stray', providerId: 'unheard-of', hasProvider: false },
  ])
})

test('a token that nobody answers at is left alone, until its device registers again', async () => {
  const authToken = await login('bob')
  await register(authToken, 'away')
  const away = async () =>
    (await activePushTokens(db, ['bob', 'eve'], now)).some(({ pushToken }) => pushToken === 'away')
  // What was tried before the device registered says nothing about it.
  await markTokenGone(db, hashOf('away'), { asOf: now - 3600, now })
  expect(await away()).toBe(true)
  await markTokenGone(db, hashOf('away'), { asOf: now + 60, now })
  expect(await away()).toBe(false)
  expect(await tokens(authToken)).toEqual([])
  await register(authToken, 'away')
  expect(await away()).toBe(true)
})

describe('a device', () => {
  test('registers itself without naming its session', async () => {
    const { calls: ann, authToken } = await app.device('ann')
    const body = { platform: 'fcm_web', fcmToken: 'mine', timezone: 'Europe/Lisbon' } as const
    await ann.registerPushToken({ body })
    const query = { authToken }
    expect((await ann.listPushTokens({ query })).data.pushTokens).toMatchObject([
      { uid: 'ann', pushToken: 'mine', platform: 'fcm_web' },
    ])
    const { data } = await ann.getTimezone({ query: { uid: 'ann' } })
    expect(data.timezone).toBe('Europe/Lisbon')
    const left = await ann.deletePushToken({ params: { pushToken: 'mine' }, body: query })
    expect(named(left.data.pushTokens)).toEqual(['mine'])
  })

  test('may not touch the sessions of other users', async () => {
    const { calls: ann } = await app.device('ann')
    const { authToken } = await app.device('bob')
    const refusal = { code: 'ERR_AUTHTOKEN_NOT_ACCESSIBLE' }
    const body = { authToken }
    const registration = { ...body, platform: 'fcm_web', fcmToken: 'x' } as const
    await expect(ann.registerPushToken({ body: registration })).rejects.toMatchObject(refusal)
    await expect(ann.listPushTokens({ query: body })).rejects.toMatchObject(refusal)
    await expect(ann.deletePushTokens({ body })).rejects.toMatchObject(refusal)
    const one = ann.deletePushToken({ params: { pushToken: 'x' }, body })
    await expect(one).rejects.toMatchObject(refusal)
  })

  test('that is a browser subscribes with the key of its app', async () => {
    const { calls: eve, authToken } = await app.device('eve')
    const { publicKey } = (await eve.getWebPushKey()).data
    const point = Buffer.from(publicKey, 'base64url')
    expect([point.length, point[0]]).toEqual([65, 4])
    expect((await calls.getWebPushKey()).data).toEqual({ publicKey })
    const keys = { p256dh: publicKey, auth: 'c2VjcmV0' }
    const subscribe = (endpoint: string) =>
      eve.registerPushToken({ body: { platform: 'web', subscription: { endpoint, keys } } })
    await subscribe('https://push.example.com/send/abc:1')
    expect((await eve.listPushTokens({ query: { authToken } })).data.pushTokens).toMatchObject([
      { platform: 'web', pushToken: 'https://push.example.com/send/abc:1', providerId: 'web' },
    ])
    expect(await activePushTokens(db, ['eve'], now)).toMatchObject([{ kind: 'web', keys }])
    await expect(subscribe('https://127.0.0.1/send')).rejects.toMatchObject({
      details: { 'subscription.endpoint': [expect.any(String)] },
    })
  })
})

describe('refused', () => {
  test.each([
    ['bob', 'ERR_AUTHTOKEN_NOT_ACCESSIBLE'],
    ['nobody', 'ERR_UID_NOT_FOUND'],
  ])('is a server on behalf of %s, who has no such session', async (onBehalfOf, code) => {
    const authToken = await login('ann')
    const body = { authToken }
    const registration = { ...body, platform: 'fcm_ios', fcmToken: 'x' } as const
    const each = [
      () => calls.registerPushToken({ onBehalfOf, body: registration }),
      () => calls.listPushTokens({ onBehalfOf, query: body }),
      () => calls.deletePushTokens({ onBehalfOf, body }),
      () => calls.deletePushToken({ onBehalfOf, params: { pushToken: 'x' }, body }),
    ]
    for (const call of each) await expect(call()).rejects.toMatchObject({ code })
  })

  test('is a key for a user who does not exist', async () => {
    const call = calls.getWebPushKey({ onBehalfOf: 'nobody' })
    await expect(call).rejects.toMatchObject({ code: 'ERR_UID_NOT_FOUND' })
  })

  test('is a session that does not exist', async () => {
    const authToken = 'nobody'
    const refusal = { code: 'ERR_AUTH_TOKEN_NOT_FOUND' }
    const body = { authToken }
    await expect(register(authToken, 'x')).rejects.toMatchObject(refusal)
    await expect(tokens(authToken)).rejects.toMatchObject(refusal)
    await expect(calls.deletePushTokens({ body })).rejects.toMatchObject(refusal)
    const one = calls.deletePushToken({ params: { pushToken: 'x' }, body })
    await expect(one).rejects.toMatchObject(refusal)
  })

  test('is a server that names no session', async () => {
    const call = calls.registerPushToken({ body: { platform: 'fcm_ios', fcmToken: 'x' } })
    await expect(call).rejects.toMatchObject({ details: { authToken: [expect.any(String)] } })
  })

  test.each([
    ['fcm_ios', 'fcmToken'],
    ['apns_ios_device', 'deviceToken'],
    ['apns_ios_voip', 'voipToken'],
    ['web', 'subscription'],
  ] as const)('is the platform %s without %s', async (platform, field) => {
    const authToken = await login('ann')
    const call = calls.registerPushToken({ body: { platform, authToken } })
    await expect(call).rejects.toMatchObject({ details: { [field]: [expect.any(String)] } })
  })

  test('is a time zone that nobody knows', async () => {
    const authToken = await login('ann')
    const body = {
      platform: 'fcm_ios',
      authToken,
      fcmToken: 'x',
      timezone: 'Tea/NotificationConfig',
    } as const
    await expect(calls.registerPushToken({ body })).rejects.toMatchObject({
      details: { timezone: [expect.any(String)] },
    })
    expect(await tokens(authToken)).toEqual([])
  })
})
