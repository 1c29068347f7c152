import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPushFixture } from '../../../../testing/src/notifications/push-fixture.ts'
import { connectDevice } from '../../../../testing/src/service/device.ts'
import { notifyUsers } from './notify.on.ts'

const fixture = await startPushFixture({ gateway: true })
afterAll(() => fixture[Symbol.asyncDispose]())
const { app, full, google, account, android } = fixture
const byAnn = { onBehalfOf: 'ann' } as const
let nth = 0

/** Somebody new, who talks to ann. */
async function somebody(): Promise<string> {
  const uid = `user${++nth}`
  await app.given.users(uid)
  return uid
}

async function say(receiver: string): Promise<number> {
  const body = { receiver, receiverType: 'user', category: 'message', type: 'text' } as const
  const { data } = await full.sendMessage({
    ...byAnn,
    body: { ...body, data: { text: 'hello' } },
  })
  return 'id' in data ? Number(data.id) : 0
}

async function why(uid: string, messageId: number) {
  return (await full.explainNotification({ query: { uid, messageId } })).data
}

/** The step at which it was decided, and the reason. */
async function verdict(uid: string, messageId: number) {
  const { step, reason } = await why(uid, messageId)
  return reason === undefined ? step : `${step}: ${reason}`
}

const prefer = (uid: string, body: object) =>
  full.updateNotificationPreferences({ query: { uid }, body })
const params = { appId: app.appId }
const fcm = {
  providerId: 'google',
  serviceAccountFilename: 'account.json',
  serviceAccountCreds: {
    project_id: account.projectId,
    client_email: account.clientEmail,
    private_key: account.privateKey,
    private_key_id: account.privateKeyId,
  },
}

await app.given.users('ann')

describe('why there was no push', () => {
  test('setup: the app has no provider', async () => {
    const other = app.client(await app.anotherApp(), 'full')
    for (const uid of ['ann', 'bob']) await other.createUser({ body: { uid, name: uid } })
    const body = { receiver: 'bob', receiverType: 'user', category: 'message' } as const
    const { data } = await other.sendMessage({
      ...byAnn,
      body: { ...body, type: 'text', data: { text: 'x' } },
    })
    const messageId = 'id' in data ? Number(data.id) : 0
    const told = await other.explainNotification({ query: { uid: 'bob', messageId } })
    expect(told.data).toMatchObject({ verdict: 'withheld', step: 'setup', reason: 'NO_PROVIDER' })
    const { says, steps } = told.data
    expect(says).toBe('The app has no provider of push notifications.')
    expect(steps.map(({ step, passed }) => [step, passed])).toEqual([
      ['message', true],
      ['setup', false],
    ])
  })

  test('flag: the push settings do not want it', async () => {
    await full.createFcmProvider({ body: fcm })
    const off = { version: 2, pushProvider: 1, sendNewMessageNotification: false }
    await full.updatePushSettings({ params, body: { settings: off } })
    const bob = await somebody()
    expect(await verdict(bob, await say(bob))).toBe('flag: PUSH_SETTINGS_FLAG')
    await full.deletePushSettings({ params })
  })

  test('recipient: they wrote it themselves, take no part, or are deactivated', async () => {
    const [bob, eve] = [await somebody(), await somebody()]
    const id = await say(bob)
    expect(await verdict('ann', id)).toBe('recipient: OWN_ACTION')
    expect(await verdict(eve, id)).toBe('recipient: NOT_A_PARTICIPANT')
    await full.deactivateUsers({ body: { uidsToDeactivate: [bob] } })
    expect(await verdict(bob, id)).toBe('recipient: USER_DEACTIVATED')
  })

  test('blocked: since then', async () => {
    const bob = await somebody()
    const id = await say(bob)
    await full.blockUsers({ params: { uid: bob }, body: { blockedUids: ['ann'] } })
    expect(await verdict(bob, id)).toBe('blocked: BLOCKED')
  })

  test.each([
    ['messages', 'MESSAGES_PREFERENCE', { oneOnOnePreferences: { oneOnOneMessages: 1 } }],
    ['mentions only', 'MESSAGES_PREFERENCE', { oneOnOnePreferences: { oneOnOneMessages: 3 } }],
    ['do not disturb', 'DND_PREFERENCE', { mutePreferences: { dnd: 2 } }],
  ])('preferences: %s', async (_what, reason, body) => {
    const bob = await somebody()
    await prefer(bob, body)
    expect(await verdict(bob, await say(bob))).toBe(`preferences: ${reason}`)
  })

  test('preferences: replies', async () => {
    const bob = await somebody()
    await prefer(bob, { oneOnOnePreferences: { oneOnOneReplies: 1 } })
    const id = String(await say(bob))
    const reply = await full.replyToMessage({
      ...byAnn,
      params: { id },
      body: { category: 'message', type: 'text', data: { text: 'and' } },
    })
    expect(await verdict(bob, Number(reply.data.id))).toBe('preferences: REPLIES_PREFERENCE')
  })

  test('preferences: the conversation is muted', async () => {
    const bob = await somebody()
    const conversations = [{ id: 'ann', type: 'oneOnOne' }] as const
    await full.muteConversations({
      query: { uid: bob },
      body: { conversations: [...conversations] },
    })
    expect(await verdict(bob, await say(bob))).toBe('preferences: MUTE_PREFERENCE')
  })

  test('preferences: not at this hour', async () => {
    const bob = await somebody()
    const never = { from: 0, to: 0, dnd: true }
    const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
    const schedule = Object.fromEntries(days.map((day) => [day, never]))
    await prefer(bob, { mutePreferences: { schedule } })
    expect(await verdict(bob, await say(bob))).toBe('preferences: SCHEDULE_PREFERENCE')
  })

  test('read: they have seen it', async () => {
    const bob = await somebody()
    const id = await say(bob)
    await full.markUserConversationRead({ onBehalfOf: bob, params: { uid: 'ann' }, body: {} })
    expect(await verdict(bob, id)).toBe('read: ALREADY_READ')
  })

  test('online: they are connected, unless the app notifies all the same', async () => {
    const bob = await somebody()
    const { authToken } = (
      await full.createAuthToken({ params: { uid: bob }, body: { force: true } })
    ).data
    const { origin, appId } = app
    const connected = await connectDevice({ origin, appId, authToken })
    const id = await say(bob)
    await expect.poll(() => verdict(bob, id), { timeout: 20_000 }).toBe('online: ONLINE')
    const setting = { 'notifications.skipOnlineUsers': false }
    await full.mapAppSettings({ params, body: { settings: setting } })
    expect(await verdict(bob, id)).toBe('device: NO_DEVICE')
    const settings = Object.keys(setting)
    await full.unmapAppSettings({ params, body: { settings } })
    await connected[Symbol.asyncDispose]()
  })

  test('device: none has registered', async () => {
    const bob = await somebody()
    expect(await verdict(bob, await say(bob))).toBe('device: NO_DEVICE')
  })

  test('provider: the token names one that is not there', async () => {
    const bob = await somebody()
    await android(bob, 'gone')
    expect(await verdict(bob, await say(bob))).toBe('provider: INVALID_PUSH_PROVIDER_ID')
  })

  test('event: no worker has seen it yet', async () => {
    const bob = await somebody()
    await android(bob)
    expect(await verdict(bob, await say(bob))).toBe('event: NOT_PLANNED')
    // So that nothing is sent of it, when one comes.
    await full.deleteAuthTokens({ params: { uid: bob } })
  })

  test('there is no such message, or user', async () => {
    const bob = await somebody()
    await expect(why(bob, 64)).rejects.toMatchObject({ code: 'ERR_MESSAGE_ID_NOT_FOUND' })
    await expect(why('nobody', 64)).rejects.toMatchObject({ code: 'ERR_UID_NOT_FOUND' })
  })
})

describe('what the provider said', () => {
  const wait = { timeout: 20_000 }
  beforeAll(() => app.startWorker([notifyUsers]))

  test('it has taken it', async () => {
    const bob = await somebody()
    const token = await android(bob)
    const id = await say(bob)
    await expect.poll(async () => (await why(bob, id)).verdict, wait).toBe('sent')
    const { step, says, deliveries } = await why(bob, id)
    expect([step, says]).toEqual(['delivery', 'The provider has taken it.'])
    expect(deliveries).toEqual([
      {
        provider: 'fcm',
        providerId: 'google',
        status: 'sent',
        attempts: 1,
        pushToken: expect.stringMatching(new RegExp(`^\\*+${token.slice(-4)}$`)),
      },
    ])
  })

  test('the device is gone; the next message finds none', async () => {
    const bob = await somebody()
    google.unregister(await android(bob))
    const id = await say(bob)
    await expect.poll(() => verdict(bob, id), wait).toBe('delivery: UNREGISTERED')
    expect((await why(bob, id)).verdict).toBe('failed')
    expect(await verdict(bob, await say(bob))).toBe('device: NO_DEVICE')
  })

  test('later, it says when', async () => {
    const bob = await somebody()
    await android(bob)
    const busy = { status: 429, headers: { 'retry-after': '600' }, body: {} }
    google.server.fail('/v1/', busy)
    const id = await say(bob)
    await expect.poll(async () => (await why(bob, id)).deliveries[0]?.attempts, wait).toBe(1)
    await expect.poll(async () => (await why(bob, id)).deliveries[0]?.reason, wait).toBeDefined()
    const { verdict: is, step, deliveries } = await why(bob, id)
    expect([is, step]).toEqual(['waiting', 'delivery'])
    expect(deliveries[0]?.nextAttemptAt).toBeGreaterThan(Date.now() / 1000 + 500)
  })

  test('the credentials are not right', async () => {
    const stranger = google.account()
    const { private_key: _, ...rest } = fcm.serviceAccountCreds
    await full.createFcmProvider({
      body: {
        ...fcm,
        providerId: 'wrong',
        serviceAccountCreds: { ...rest, private_key: stranger.privateKey },
      },
    })
    const bob = await somebody()
    await android(bob, 'wrong')
    const id = await say(bob)
    await expect.poll(async () => (await why(bob, id)).verdict, wait).toBe('failed')
    expect(await why(bob, id)).toMatchObject({
      step: 'delivery',
      says: 'The provider does not take it.',
    })
  })
})
