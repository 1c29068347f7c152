import { sql } from 'kysely'
import { afterAll, afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { deleteConsumers, waitingIn } from '../../../../../testing/src/engines/event-streams.ts'
import { startPushFixture } from '../../../../../testing/src/notifications/push-fixture.ts'
import type { Asked, Fault } from '../../../../../testing/src/providers/provider.ts'
import { notifyUsers } from '../notify.on.ts'
import { pushQueue } from './push-queue.sql.ts'

const fixture = await startPushFixture()
afterAll(() => fixture[Symbol.asyncDispose]())
const { app, full, google, apple, android, iphone, shown } = fixture
const { NATS_PREFIX: prefix = '' } = fixture.settings
const wait = { timeout: 15_000, interval: 20 }
app.startWorker([notifyUsers])
await app.given.users('ann', 'cid')
await fixture.useGoogle('google')
await full.switchNotificationLogs({ body: { enabled: true } })

let nth = 0
let bob = ''
beforeEach(async () => {
  bob = `bob${++nth}`
  await app.given.users(bob)
})

const say = (text: string, to = bob, from = 'ann') =>
  app.given.message(from, to, { data: { text } })
const bodies = (phone: string) => shown(phone).map(({ body }) => body)
const logOf = async (messageId: string) => {
  const { data } = await full.listNotificationLogs({ query: { messageId: Number(messageId) } })
  return data
}
const outcomes = async (messageId: string) =>
  (await logOf(messageId)).map(({ success, reason }) => reason ?? success ?? 'waiting')

describe('a device that is gone', () => {
  test.each([
    ['FCM', android, google],
    ['APNs', iphone, apple],
  ] as const)('is not tried again: %s', async (_, phoneOf, provider) => {
    const phone = await phoneOf(bob)
    await say('here')
    await expect.poll(() => bodies(phone), wait).toEqual(['here'])
    provider.unregister(phone)
    const { id } = await say('gone')
    await expect.poll(() => outcomes(id), wait).toEqual(['NOT_FOUND'])
    const asked = provider.server.requests
    const next = await say('nobody hears this')
    await expect.poll(() => outcomes(next.id), wait).toEqual(['NO_DEVICE'])
    expect(provider.server.requests).toBe(asked)
    expect(bodies(phone)).toEqual(['here'])
  })

  test('is there again when it registers', async () => {
    const phone = await android(bob)
    google.unregister(phone)
    const { id } = await say('gone')
    await expect.poll(() => outcomes(id), wait).toEqual(['NOT_FOUND'])
    const other = await android(bob)
    await say('back')
    await expect.poll(() => bodies(other), wait).toEqual(['back'])
  })
})

test('a provider that asks to wait is left alone for as long', async () => {
  const phone = await android(bob)
  google.server.fail('/v1/projects', { status: 429, headers: { 'retry-after': '3' } })
  const start = performance.now()
  await say('patience')
  await expect.poll(() => bodies(phone), wait).toEqual(['patience'])
  expect(performance.now() - start).toBeGreaterThan(3000)
  expect(google.screens.on(phone)).toMatchObject([{ count: 1 }])
})

test('an event that comes twice is one notification per device', async () => {
  const phones = [await android(bob), await android(bob), await iphone(bob)]
  await say('once')
  for (const phone of phones) await expect.poll(() => bodies(phone), wait).toEqual(['once'])
  await deleteConsumers(inject('natsUrl'), prefix)
  const waiting = () => waitingIn(inject('natsUrl'), prefix, notifyUsers.name)
  await expect.poll(waiting, wait).toBe(0)
  await say('behind it')
  for (const phone of phones) {
    await expect.poll(() => bodies(phone), wait).toEqual(['once', 'behind it'])
    const screens = [...google.screens.on(phone), ...apple.screens.on(phone)]
    expect(screens.map(({ count }) => count)).toEqual([1, 1])
  }
})

test('what becomes of a message replaces what is on the screen', async () => {
  const phones = [await android(bob), await iphone(bob)]
  const seen = () => phones.map(bodies)
  const { id } = await say('frist')
  await expect.poll(seen, wait).toEqual(phones.map(() => ['frist']))
  await say('another')
  await expect.poll(seen, wait).toEqual(phones.map(() => ['frist', 'another']))
  const params = { id }
  await full.editMessage({ onBehalfOf: 'ann', params, body: { data: { text: 'first' } } })
  await expect.poll(seen, wait).toEqual(phones.map(() => ['first', 'another']))
  await full.editMessage({ onBehalfOf: 'ann', params, body: { data: { text: 'first!' } } })
  await expect.poll(seen, wait).toEqual(phones.map(() => ['first!', 'another']))
  await full.deleteMessage({ onBehalfOf: 'ann', params, body: {} })
  const deleted = ['This message was deleted', 'another']
  await expect.poll(seen, wait).toEqual(phones.map(() => deleted))
})

describe('before it was sent', () => {
  /** The next attempt fails, as soon as this is called. */
  function failing(): () => void {
    const { promise, resolve } = Promise.withResolvers<Fault>()
    google.server.fail('/v1/projects', promise)
    return () => resolve({ status: 503 })
  }

  test('a message that was deleted is not pushed', async () => {
    const phone = await android(bob)
    await full.updateNotificationSettings({
      body: { preferences: { oneOnOne: { messageDeletedSetting: 1 } } },
    })
    const fail = failing()
    const asked = google.server.requests
    const { id } = await say('oops')
    await expect.poll(() => google.server.requests, wait).toBe(asked + 1)
    await full.deleteMessage({ onBehalfOf: 'ann', params: { id }, body: {} })
    fail()
    await expect
      .poll(() => outcomes(id), wait)
      .toEqual(['MESSAGE_DELETED', 'MESSAGE_ACTIONS_PREFERENCE'])
    expect(bodies(phone)).toEqual([])
    await full.resetNotificationSettings()
  })

  test('a message that was changed is pushed as it is now', async () => {
    const phone = await android(bob)
    await full.updateNotificationSettings({
      body: { preferences: { oneOnOne: { messageEditedSetting: 1 } } },
    })
    const fail = failing()
    const asked = google.server.requests
    const { id } = await say('old')
    await expect.poll(() => google.server.requests, wait).toBe(asked + 1)
    const body = { data: { text: 'new' } }
    await full.editMessage({ onBehalfOf: 'ann', params: { id }, body })
    fail()
    await expect.poll(() => bodies(phone), wait).toEqual(['new'])
    await full.resetNotificationSettings()
  })

  test('a message that was read is not pushed', async () => {
    const phone = await android(bob)
    const fail = failing()
    const asked = google.server.requests
    const { id } = await say('seen')
    await expect.poll(() => google.server.requests, wait).toBe(asked + 1)
    await full.markUserConversationRead({ onBehalfOf: bob, params: { uid: 'ann' }, body: {} })
    fail()
    await expect.poll(() => outcomes(id), wait).toEqual(['ALREADY_READ'])
    expect(bodies(phone)).toEqual([])
  })
})

test('the badge of an iPhone is what its user has not read, in all conversations', async () => {
  const phone = await iphone(bob)
  const guid = `tea-${bob}`
  await app.given.group(guid, { owner: 'cid', members: { participants: [bob] } })
  const badges = () => apple.screens.on(phone).map(({ payload }) => badgeIn(payload))
  const next = async (send: Promise<unknown>, badge: number) => {
    await send
    await expect.poll(() => badges().at(-1), wait).toBe(badge)
  }
  await next(say('1'), 1)
  await next(say('2', bob, 'cid'), 2)
  await next(say('3'), 3)
  await next(app.given.message('cid', guid, { receiverType: 'group' }), 4)
  await full.markUserConversationRead({ onBehalfOf: bob, params: { uid: 'ann' }, body: {} })
  await next(say('4', bob, 'cid'), 3)
})

function badgeIn(payload: unknown): number {
  // The provider has looked at it.
  return (payload as { aps: { badge: number } }).aps.badge
}

test('calls go to the token for calls, and messages to the other', async () => {
  const phone = await iphone(bob)
  const { authToken } = await app.device(bob)
  const voipToken = apple.register()
  await full.registerPushToken({ body: { platform: 'apns_ios_voip', authToken, voipToken } })
  const types: string[] = []
  apple.server.failNowAndThen(({ path, headers }) => {
    types.push(`${path.endsWith(voipToken) ? 'calls' : 'chat'} ${headers['apns-push-type']}`)
    return undefined
  })
  await app.given.message('ann', bob, {
    category: 'call',
    type: 'audio',
    data: { action: 'initiated' },
  })
  await say('hello')
  await expect.poll(() => bodies(phone), wait).toEqual(['hello'])
  await expect.poll(() => shown(voipToken), wait).toMatchObject([{ callAction: 'initiated' }])
  expect(types.toSorted()).toEqual(['calls voip', 'chat alert'])
})

test('what was sent is counted, for whoever looks at the metrics', async () => {
  const phone = await android(bob)
  await say('count me')
  await expect.poll(() => bodies(phone), wait).toEqual(['count me'])
  const metrics = async () => (await fetch(`${app.operationsOrigin}/metrics`)).text()
  const counted = /^chorale_jobs_total\{queue="pushes",outcome="sent"\} [1-9]/m
  await expect.poll(metrics, wait).toMatch(counted)
})

test('each member of a group of more than a thousand is decided upon', async () => {
  const guid = `crowd-${bob}`
  await app.given.group(guid, { owner: 'ann', members: { participants: [bob] } })
  await sql`
    insert into users (app_id, uid, name, sort_name, role, created_at)
    select app_id, uid || '-' || n, name, sort_name, role, created_at
    from users, generate_series(1, 1001) as n
    where app_id = ${app.appId} and uid = ${bob}`.execute(app.db)
  await sql`
    insert into participants (bucket, conversation_key, app_id, uid, with_guid)
    select bucket, conversation_key, app_id, uid || '-' || n, with_guid
    from participants, generate_series(1, 1001) as n
    where app_id = ${app.appId} and uid = ${bob} and with_guid = ${guid}`.execute(app.db)
  const { id } = await app.given.message('ann', guid, { receiverType: 'group' })
  const decided = async () => {
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from notification_deliveries
      where app_id = ${app.appId} and message_id = ${id}`.execute(app.db)
    return rows[0]?.n
  }
  await expect.poll(decided, { ...wait, timeout: 40_000 }).toBe(1002)
}, 60_000)

describe('a push that fails again and again', () => {
  afterEach(() => google.server.failNowAndThen(() => undefined))
  const isTo = (phone: string, { path, body }: Asked) =>
    path.startsWith('/v1/projects') && body.toString().includes(phone)

  test('is given up an hour after the message', async () => {
    const phone = await android(bob)
    google.server.failNowAndThen((asked) => (isTo(phone, asked) ? { status: 503 } : undefined))
    const { id } = await say('too late')
    await expect.poll(() => outcomes(id), wait).toEqual(['waiting'])
    await sql`
      update notification_deliveries set created_at = created_at - 3600
      where app_id = ${app.appId} and message_id = ${id}`.execute(app.db)
    await expect.poll(() => outcomes(id), { ...wait, timeout: 40_000 }).toEqual(['TIMED_OUT'])
  }, 60_000)

  test('counts as what the last attempt says, not one whose lease has run out', async () => {
    const phone = await android(bob)
    const attempts: PromiseWithResolvers<Fault>[] = [
      Promise.withResolvers(),
      Promise.withResolvers(),
    ]
    google.server.fail('/v1/projects', ...attempts.map(({ promise }) => promise))
    const asked = google.server.requests
    const { id } = await say('whose turn')
    await expect.poll(() => google.server.requests, wait).toBe(asked + 1)
    await sql`
      update notification_deliveries set due_at = 0
      where app_id = ${app.appId} and message_id = ${id}`.execute(app.db)
    app.wake(pushQueue)
    await expect.poll(() => google.server.requests, wait).toBe(asked + 2)
    const failures = async () => {
      const text = await (await fetch(`${app.operationsOrigin}/metrics`)).text()
      const counted = /^chorale_jobs_total\{queue="pushes",outcome="failed"\} (\d+)/m.exec(text)
      return Number(counted?.[1] ?? 0)
    }
    const before = await failures()
    attempts[0]?.resolve({ status: 400 })
    await expect.poll(failures, wait).toBe(before + 1)
    expect(await outcomes(id)).toEqual(['waiting'])
    attempts[1]?.resolve({ status: 503 })
    await expect.poll(() => outcomes(id), wait).toEqual([true])
    expect(bodies(phone)).toEqual(['whose turn'])
  }, 60_000)
})
