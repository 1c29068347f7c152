import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { startPushFixture } from '../../../../../testing/src/notifications/push-fixture.ts'
import { type Asked, startProvider } from '../../../../../testing/src/providers/provider.ts'
import { startWebPushProvider } from '../../../../../testing/src/providers/web-push.ts'
import { notifyUsers } from '../notify.on.ts'

const heard: Asked[] = []
const ownServer = await startProvider((asked) => {
  heard.push(asked)
  return { status: 200 }
})
const browsers = await startWebPushProvider()
const fixture = await startPushFixture({ trusted: [ownServer, browsers.server] })
afterAll(async () => {
  await fixture[Symbol.asyncDispose]()
  await browsers[Symbol.asyncDispose]()
  await ownServer[Symbol.asyncDispose]()
})
const { app, full, account, apple, android, iphone, shown } = fixture
const wait = { timeout: 15_000, interval: 20 }
const params = { appId: app.appId }
app.startWorker([notifyUsers])
await app.given.users('ann', 'bob', 'cid')
await app.given.group('tea', { owner: 'ann', members: { participants: ['bob', 'cid'] } })

let nth = 0
let text = ''
beforeEach(() => {
  text = `message ${++nth}`
})
const say = (receiver = 'bob', receiverType: 'user' | 'group' = 'user') =>
  app.given.message('ann', receiver, { receiverType, data: { text } })
const bodies = (phone: string) => shown(phone).map(({ body }) => body)

describe('the server of the app', () => {
  const basicAuth = { useBasicAuth: true, basicAuthUsername: 'app', basicAuthPassword: 'pa:ss' }
  const webhookURL = `${ownServer.origin}/push?of=tea`
  const told = () =>
    heard.map(({ body }): { data: { to: { uid: string }; notificationDetails: unknown } } =>
      JSON.parse(body.toString()),
    )
  const uids = () => told().map(({ data }) => data.to.uid)

  test('is told of each recipient, whether or not they have a device', async () => {
    await full.createCustomPushProvider({ body: { isEnabled: true, webhookURL, ...basicAuth } })
    const { id } = await say('tea', 'group')
    await expect.poll(() => uids().toSorted(), wait).toEqual(['bob', 'cid'])
    const mine = told().find(({ data }) => data.to.uid === 'bob')
    expect(mine).toMatchObject({
      trigger: 'push-notification-payload-generated',
      data: {
        to: { uid: 'bob' },
        notificationDetails: {
          title: 'ANN in TEA',
          body: text,
          tag: id,
          sender: 'ann',
          receiver: 'tea',
          receiverType: 'group',
          type: 'chat',
        },
      },
      appId: app.appId,
      region: 'us',
      webhook: 'custom',
    })
    for (const { path, headers } of heard) {
      expect(path).toBe('/push?of=tea')
      expect(headers.authorization).toBe(`Basic ${btoa('app:pa:ss')}`)
    }
  })

  test('is asked again with the same key, if it was not well', async () => {
    heard.length = 0
    const keys: (string | undefined)[] = []
    let isWell = false
    ownServer.failNowAndThen(({ headers }) => {
      keys.push(headers['idempotency-key'])
      if (isWell) return undefined
      isWell = true
      return { status: 503 }
    })
    await say()
    await expect.poll(uids, wait).toEqual(['bob'])
    expect(keys).toEqual([keys[0], keys[0]])
  })

  test('is left alone when it is switched off', async () => {
    heard.length = 0
    const phone = await iphone('bob')
    await full.updateCustomPushProvider({ body: { isEnabled: false } })
    await say()
    await expect.poll(() => bodies(phone), wait).toEqual([text])
    await full.deleteCustomPushProvider()
    expect(heard).toEqual([])
  })
})

test('a browser is reached by Web Push, until it has unsubscribed', async () => {
  const { publicKey } = (await full.getWebPushKey({})).data
  const subscription = browsers.subscribe({ publicKey, privateKey: '', subject: '' })
  const { authToken, calls } = await app.device('bob')
  const { endpoint, p256dh, auth } = subscription
  await calls.registerPushToken({
    body: { platform: 'web', subscription: { endpoint, keys: { p256dh, auth } } },
  })
  const { id } = await say()
  const seen = () => browsers.screens.on(endpoint).map(({ payload }) => JSON.parse(String(payload)))
  await expect.poll(seen, wait).toEqual([expect.objectContaining({ body: text, tag: id })])
  browsers.unsubscribe(subscription)
  await say()
  const tokens = async () =>
    (await full.listPushTokens({ query: { authToken, all: true } })).data.pushTokens
  await expect
    .poll(async () => (await tokens()).filter(({ platform }) => platform === 'web'), wait)
    .toEqual([])
})

describe('without a provider, the push settings lead the way', () => {
  test('to FCM by its credentials', async () => {
    const phone = await android('cid')
    const fcmCredentials = {
      project_id: account.projectId,
      client_email: account.clientEmail,
      private_key: account.privateKey,
      private_key_id: account.privateKeyId,
    }
    const settings = { version: 2, pushProvider: 1, fcmCredentials }
    await full.updatePushSettings({ params, body: { settings } })
    await say('cid')
    await expect.poll(() => bodies(phone), wait).toEqual([text])
  })

  test('to APNs by the p8 file that was uploaded', async () => {
    await full.deleteApnsProvider({ params: { providerId: 'apple' } })
    const bundleId = 'example.other'
    const { keyId, teamId, key } = apple.team(bundleId)
    const settings = { version: 2, pushProvider: 1, useP8: true, keyId, teamId, bundleId }
    await full.updatePushSettings({ params, body: { settings } })
    await full.uploadCertificateP8({ params, form: { certificate: new Blob([key]) } })
    const phone = await iphone('cid')
    await say('cid')
    await expect.poll(() => bodies(phone), wait).toEqual([text])
  })

  test('to APNs by the p12 file that was uploaded', async () => {
    const { bundle, password = '' } = apple.certificate('example.third')
    const settings = { useP8: false, bundleId: 'example.third' }
    await full.updatePushSettings({ params, body: { settings } })
    const certificate = new Blob([Uint8Array.from(bundle)])
    await full.uploadCertificateP12({ params, form: { certificate, password } })
    const phone = await iphone('cid')
    await say('cid')
    await expect.poll(() => bodies(phone), wait).toEqual([text])
  })
})
