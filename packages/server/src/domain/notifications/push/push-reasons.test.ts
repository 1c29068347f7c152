import type { NotificationReason } from '@chorale/contract/notifications'
import { afterAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { waitingIn } from '../../../../../testing/src/engines/event-streams.ts'
import { startPushFixture } from '../../../../../testing/src/notifications/push-fixture.ts'
import type { Fault } from '../../../../../testing/src/providers/provider.ts'
import { connectDevice } from '../../../../../testing/src/service/device.ts'
import { notifyUsers } from '../notify.on.ts'

const fixture = await startPushFixture({ gateway: true })
afterAll(() => fixture[Symbol.asyncDispose]())
const { app, full, google, android, shown } = fixture
const wait = { timeout: 15_000, interval: 20 }
app.startWorker([notifyUsers])
await app.given.users('ann')
await fixture.useGoogle('google')
await full.switchNotificationLogs({ body: { enabled: true } })

let nth = 0
let bob = ''
let phone = ''
beforeEach(async () => {
  bob = `bob${++nth}`
  await app.given.users(bob)
  phone = await android(bob)
})

type To = Parameters<typeof app.given.message>[2]
const query = () => ({ uid: bob })
const bodies = () => shown(phone).map(({ body }) => body)

/** The row of the log that a message leaves, once it is final. */
async function logOf(text: string, to: To = { receiver: bob }) {
  const { id } = await app.given.message('ann', bob, { ...to, data: { text } })
  const read = async () =>
    (await full.listNotificationLogs({ query: { messageId: Number(id) } })).data
  await expect.poll(read, wait).toEqual([expect.objectContaining({ success: expect.anything() })])
  return (await read())[0]
}

async function expectWithheld(reason: NotificationReason, to?: To): Promise<void> {
  const asked = google.server.requests
  expect(await logOf('hush', to)).toMatchObject({
    uid: bob,
    channel: 'push',
    trigger: 'after_message',
    sender: 'ann',
    notificationTriggered: false,
    success: false,
    reason,
  })
  expect(google.server.requests).toBe(asked)
  expect(bodies()).not.toContain('hush')
}

async function expectSent(to?: To): Promise<void> {
  expect(await logOf('hello', to)).toMatchObject({
    notificationTriggered: true,
    success: true,
    provider: 'fcm',
    pushToken: phone,
    tokenType: 'chat',
    payload: { payload: { body: 'hello' } },
    response: { is: 'accepted' },
  })
  expect(bodies()).toContain('hello')
}

test('whoever is to be notified is, and the log says so', async () => {
  await expectSent()
  const { data } = await full.listNotificationLogs({ query: { ...query(), success: true } })
  expect(data).toHaveLength(1)
  expect(data[0]).not.toHaveProperty('reason')
})

test('somebody who is connected is not pushed, unless the app wants it', async () => {
  const { authToken } = await app.device(bob)
  const { origin, appId } = app
  await using _ = await connectDevice({ origin, appId, authToken })
  const status = async () => (await full.getUser({ params: { uid: bob } })).data.status
  await expect.poll(status, wait).toBe('available')
  await expectWithheld('ONLINE')
  const skip = (skips: boolean) =>
    full.mapAppSettings({
      params: { appId },
      body: { settings: { 'notifications.skipOnlineUsers': skips } },
    })
  await skip(false)
  await expectSent()
  await skip(true)
})

test('a block on either side keeps it back, in a group as well', async () => {
  const guid = `tea-${bob}`
  const inTea = { receiver: guid, receiverType: 'group' } as const
  await app.given.group(guid, { owner: 'ann', members: { participants: [bob] } })
  await expectSent(inTea)
  const blocked = async (uid: string, other: string) => {
    const block = { params: { uid }, body: { blockedUids: [other] } }
    await full.blockUsers(block)
    await expectWithheld('BLOCKED', inTea)
    await full.unblockUsers(block)
  }
  await blocked(bob, 'ann')
  await blocked('ann', bob)
})

test('a block in another app, between users of the same uids, keeps nothing back', async () => {
  const elsewhere = app.client(await app.anotherApp(), 'full')
  for (const uid of ['ann', bob]) await elsewhere.createUser({ body: { uid, name: uid } })
  await elsewhere.blockUsers({ params: { uid: bob }, body: { blockedUids: ['ann'] } })
  await elsewhere.blockUsers({ params: { uid: 'ann' }, body: { blockedUids: [bob] } })
  await expectSent()
})

describe('the preferences of a user', () => {
  const prefer = (mutePreferences: object) =>
    full.updateNotificationPreferences({ query: query(), body: { mutePreferences } })

  test('mute a conversation, until then', async () => {
    const mute = (until: number) =>
      full.muteConversations({
        query: query(),
        body: { conversations: [{ id: 'ann', type: 'oneOnOne', until }] },
      })
    await mute(Date.now() + 60_000)
    await expectWithheld('MUTE_PREFERENCE')
    await mute(Date.now() - 1000)
    await expectSent()
  })

  test('ask not to be disturbed', async () => {
    await prefer({ dnd: 2 })
    await expectWithheld('DND_PREFERENCE')
    await prefer({ dnd: 1 })
    await expectSent()
  })

  test('have hours', async () => {
    const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
    const always = (dnd: boolean) =>
      Object.fromEntries(days.map((day) => [day, { from: 0, to: 2359, dnd }]))
    await prefer({ schedule: always(true) })
    await expectWithheld('SCHEDULE_PREFERENCE')
    await prefer({ schedule: always(false) })
    await expectSent()
  })

  test('keep what was said a secret', async () => {
    await full.updateNotificationPreferences({ query: query(), body: { usePrivacyTemplate: true } })
    expect(await logOf('my secret')).toMatchObject({ success: true })
    expect(bodies()).toEqual(['New message'])
    expect(JSON.stringify(google.screens.on(phone))).not.toContain('my secret')
  })

  test('leave out what does not mention them', async () => {
    const body = { oneOnOnePreferences: { oneOnOneMessages: 1 } } as const
    await full.updateNotificationPreferences({ query: query(), body })
    await expectWithheld('MESSAGES_PREFERENCE')
  })
})

test('somebody without a device is in the log', async () => {
  const { authToken } = await app.device(bob)
  await full.deletePushTokens({ query: { all: true }, body: { authToken } })
  await expectWithheld('NO_DEVICE')
})

test('a token of a provider that was deleted is not tried', async () => {
  await full.deleteFcmProvider({ params: { providerId: 'google' } })
  await expectWithheld('INVALID_PUSH_PROVIDER_ID')
  await fixture.useGoogle('google')
  await expectSent()
})

test('a provider that is deleted before the next attempt is not asked again', async () => {
  const asked = google.server.requests
  const { promise, resolve } = Promise.withResolvers<Fault>()
  google.server.fail('/v1/projects', promise)
  const { id } = await app.given.message('ann', bob)
  await expect.poll(() => google.server.requests, wait).toBe(asked + 1)
  await full.deleteFcmProvider({ params: { providerId: 'google' } })
  // By then nobody remembers its credentials.
  resolve({ status: 503, headers: { 'retry-after': '3' } })
  const reasons = async () => {
    const { data } = await full.listNotificationLogs({ query: { messageId: Number(id) } })
    return data.map(({ reason }) => reason)
  }
  await expect.poll(reasons, wait).toEqual(['INVALID_PUSH_PROVIDER_ID'])
  expect(google.server.requests).toBe(asked + 1)
  expect(bodies()).toEqual([])
  await fixture.useGoogle('google')
})

test('without the log, only what is sent leaves a row', async () => {
  await full.switchNotificationLogs({ body: { enabled: false } })
  await full.muteConversations({
    query: query(),
    body: { conversations: [{ id: 'ann', type: 'oneOnOne' }] },
  })
  await app.given.message('ann', bob)
  await app.given.users('cid')
  await app.given.message('cid', bob, { data: { text: 'behind it' } })
  await expect.poll(bodies, wait).toEqual(['behind it'])
  const { NATS_PREFIX: prefix = '' } = fixture.settings
  await expect.poll(() => waitingIn(inject('natsUrl'), prefix, 'notify-people'), wait).toBe(0)
  expect(bodies()).toEqual(['behind it'])
  const { data } = await full.listNotificationLogs({ query: query() })
  expect(data).toHaveLength(1)
  expect(data[0]).not.toHaveProperty('payload')
})
