import { closeCodes } from '@chorale/contract/frames'
import { deviceClient } from '@chorale/sdk'
import { afterAll, expect, test } from 'vitest'
import { natsPrefix } from '../../../../testing/src/engines/nats-prefix.ts'
import { connectDevice } from '../../../../testing/src/service/device.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

let now = 1_800_000_000
const app = await startTestApp({
  shadow: false,
  clock: () => now,
  live: { gateway: true, settings: { NATS_PREFIX: natsPrefix(), GATEWAY_COMPARE_MS: '100' } },
})
afterAll(() => app[Symbol.asyncDispose]())
const { origin, appId } = app
const full = app.as('full')
const setting = 'authTokens.lifetimeSeconds'
const allow = (seconds: number) =>
  full.mapAppSettings({ params: { appId }, body: { settings: { [setting]: seconds } } })
const create = async (uid: string, lifetimeSeconds?: number) => {
  const body = lifetimeSeconds === undefined ? {} : { lifetimeSeconds }
  return (await full.createAuthToken({ params: { uid }, body })).data
}
const me = (authToken: string) =>
  deviceClient({ baseUrl: `${origin}/v3`, appId, authToken }).getMe()
const refusal = { code: 'AUTH_ERR_AUTH_TOKEN_NOT_FOUND', status: 401 }

test('M5: a token is good for as long as the app or the call allows, whichever is shorter', async () => {
  await app.given.users('exp')
  const endless = await create('exp')
  expect(endless).not.toHaveProperty('expiresAt')
  expect((await create('exp', 60)).expiresAt).toBe(now + 60)
  await allow(3600)
  expect((await create('exp')).expiresAt).toBe(now + 3600)
  expect((await create('exp', 600)).expiresAt).toBe(now + 600)
  expect((await create('exp', 7200)).expiresAt).toBe(now + 3600)
  const { data } = await full.createUser({ body: { uid: 'made', name: 'x', withAuthToken: true } })
  now += 3599
  await me(data.authToken ?? '')
  now += 1
  await expect(me(data.authToken ?? '')).rejects.toMatchObject(refusal)
  await me(endless.authToken)
  await allow(0)
  const params = { uid: 'exp' }
  expect((await full.listAuthTokens({ params })).data).toEqual([endless])
  const { pagination } = (await full.listAuthTokens({ params })).meta
  expect(pagination.total).toBe(1)
})

test('M5: a connection ends when its token expires', async () => {
  await app.given.users('wss')
  const [short, long] = [await create('wss', 100), await create('wss')]
  await using expiring = await connectDevice({ origin, appId, ...short })
  await using lasting = await connectDevice({ origin, appId, ...long })
  for (const one of [expiring, lasting]) await one.next('welcome')
  now += 100
  expect(await expiring.closed).toBe(closeCodes.notAuthenticated)
  lasting.send({ type: 'ping' })
  await lasting.next('pong')
  await using late = await connectDevice({ origin, appId, ...short })
  expect((await late.next('refusal')).error.code).toBe('AUTH_ERR_AUTH_TOKEN_NOT_FOUND')
})

test('M5: an expired session is told of nothing, and its push token is not kept for ever', async () => {
  await app.given.users('push')
  const { authToken } = await create('push', 50)
  const body = { platform: 'fcm_android', authToken, fcmToken: 'f' } as const
  await full.registerPushToken({ body })
  const lasting = await create('push')
  const query = { authToken: lasting.authToken, all: true }
  expect((await full.listPushTokens({ query })).data.pushTokens).toHaveLength(1)
  now += 50
  await expect(full.registerPushToken({ body })).rejects.toMatchObject({
    code: 'ERR_AUTH_TOKEN_NOT_FOUND',
  })
  await create('push')
  expect((await full.listPushTokens({ query })).data.pushTokens).toEqual([])
})
