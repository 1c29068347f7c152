import { afterAll, expect, test } from 'vitest'
import { startPushFixture } from '../../../../../testing/src/notifications/push-fixture.ts'
import { signedIn } from '../../../../../testing/src/service/console.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const fixture = stack.use(await startPushFixture())
const { app, full, google, apple } = fixture
await app.given.users('ann', 'bob')
await fixture.useGoogle('google')
const ofGoogle = { kind: 'fcm', providerId: 'google' } as const

test('a test push reaches the devices of a user, and says what the provider answered', async () => {
  const token = await fixture.android('ann')
  const sent = await full.testPushProvider({ params: ofGoogle, body: { uid: 'ann' } })
  expect(sent.data).toEqual([
    {
      platform: 'fcm_android',
      pushToken: expect.stringContaining(token.slice(-4)),
      outcome: 'accepted',
    },
  ])
  expect(sent.data[0]?.pushToken).not.toBe(token)
  expect(fixture.shown(token)).toMatchObject([{ title: 'Test' }])
  // Nothing of it is a notification.
  const { data } = await full.getSupportedUser({ params: { uid: 'ann' } })
  expect(data.pushes).toEqual([])
})

test('a device that is gone, one that the provider refuses, and none at all', async () => {
  const { appId } = app
  const gone = await fixture.iphone('bob')
  apple.unregister(gone)
  const params = { kind: 'apns', providerId: 'apple' } as const
  const body = { uid: 'bob' }
  expect((await full.testPushProvider({ params, body })).data).toMatchObject([
    { outcome: 'gone', reason: expect.stringMatching(/\w/) },
  ])
  // It is told, and stays: the next message finds out by itself.
  const { data } = await full.getSupportedUser({ params: { uid: 'bob' } })
  expect(data.devices[0]?.goneAt).toBeUndefined()
  google.server.fail('/v1/', { status: 400, body: { error: { message: 'Not like this.' } } })
  const refused = await full.testPushProvider({ params: ofGoogle, body: { uid: 'ann' } })
  expect(refused.data).toMatchObject([{ outcome: 'refused' }])
  expect((await full.testPushProvider({ params: ofGoogle, body })).data).toEqual([])
  const query = { appId, operation: 'testPushProvider', limit: 1 }
  expect((await full.listAuditLog({ query })).data).toMatchObject([{ input: { body } }])
})

test('the account and the user must be there, and a viewer may not', async () => {
  const none = { kind: 'apns', providerId: 'google' } as const
  const body = { uid: 'ann' }
  await expect(full.testPushProvider({ params: none, body })).rejects.toMatchObject({
    code: 'ERR_PROVIDER_NOT_FOUND',
  })
  const nobody = full.testPushProvider({ params: ofGoogle, body: { uid: 'nobody' } })
  await expect(nobody).rejects.toMatchObject({ code: 'ERR_UID_NOT_FOUND' })
  const before = google.server.requests
  const viewer = await signedIn(app, { [app.appId]: 'viewer' })
  const refused = viewer.calls(app.appId).testPushProvider({ params: ofGoogle, body })
  await expect(refused).rejects.toMatchObject({ code: 'AUTH_ERR_NO_ACCESS', status: 403 })
  expect(google.server.requests).toBe(before)
})
