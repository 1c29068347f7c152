import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { insertDeliveries, type NewDelivery } from './notification-logs.sql.ts'
import { keepsLogs } from './notification-logs.ts'

const day = 86_400
let now = 1_800_000_000
const app = await startTestApp({ clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const { listNotificationLogs, switchNotificationLogs, createUser, deleteUser } = app.as('full')
const db = { appId: app.appId, db: app.db }

type Query = NonNullable<Parameters<typeof listNotificationLogs>[0]>['query']
const list = (query: Query = {}) => listNotificationLogs({ query })
const uids = async (query?: Query) => (await list(query)).data.map(({ uid }) => uid)

const delivery = (uid: string, more: Partial<NewDelivery> = {}): NewDelivery => ({
  source: 'event-1',
  trigger: 'after_message',
  uid,
  channel: 'push',
  device: '00ff',
  status: 'waiting',
  dueInMs: 0,
  ...more,
})

/** As whoever delivers will: what became of it. */
const settle = (uid: string, status: 'sent' | 'failed', reason: string | null = null) =>
  sql`
    update notification_deliveries set status = ${status}, reason = ${reason},
      started_at_ms = 1000, ended_at_ms = 1250, response = '{"status": 200}'
    where app_id = ${app.appId} and uid = ${uid}`.execute(app.db)

const message = {
  messageId: 42,
  messageSentAtMS: 1_799_999_999_000,
  messageCategory: 'message',
  messageType: 'text',
  sender: 'ann',
  receiver: 'tea',
  receiverType: 'group',
} as const
const push = { provider: 'fcm', providerId: 'first', tokenType: 'fcm_android', pushToken: 'f:1' }
const payload = { payload: { title: 'Ann', body: 'Hello' }, type: 'fcm' }

beforeAll(async () => {
  await insertDeliveries(
    db,
    [
      delivery('bob', { ...message, ...push, payload }),
      delivery('eve', { ...message, status: 'withheld', reason: 'MUTE_PREFERENCE' }),
      delivery('kim', { ...message, provider: 'apns', receiver: 'kim', receiverType: 'user' }),
      delivery('liz', { trigger: 'message_reaction_added', reactionId: 7, reactionSender: 'ann' }),
    ],
    now,
  )
  await insertDeliveries(
    db,
    [
      delivery('moe', {
        trigger: 'after_group_joined',
        member: 'ann',
        channel: 'email',
        device: '',
      }),
    ],
    now,
  )
  const { appId } = await app.anotherApp()
  await insertDeliveries({ ...db, appId }, [delivery('bob', { ...message, ...push })], now)
  await settle('bob', 'sent')
  await settle('kim', 'failed', 'TIMED_OUT')
})

describe('a row of the log', () => {
  test('says what was sent, through whom, and what they said', async () => {
    const { data } = await list({ uid: 'bob' })
    const { messageCategory: _, messageType: __, ...subject } = message
    expect(data).toEqual([
      {
        _id: expect.stringMatching(/^\d+$/),
        uid: 'bob',
        component: 'notifications-core',
        channel: 'push',
        trigger: 'after_message',
        notificationTriggered: true,
        success: true,
        ...push,
        ...subject,
        payload,
        response: { status: 200 },
        processingStartedAtMS: 1000,
        processingEndedAtMS: 1250,
        totalProcessingTimeInMS: 250,
      },
    ])
  })

  test('says why nothing was sent', async () => {
    expect((await list({ uid: 'eve' })).data).toMatchObject([
      { notificationTriggered: false, success: false, reason: 'MUTE_PREFERENCE' },
    ])
  })

  test('is one, however often its event is handled', async () => {
    await insertDeliveries(db, [delivery('bob', { status: 'withheld' })], now)
    expect((await list({ uid: 'bob' })).data).toMatchObject([{ success: true }])
    const other = [delivery('zoe'), delivery('zoe', { device: 'aa' }), delivery('zoe')]
    await insertDeliveries(db, other, now)
    expect(await uids({ uid: 'zoe' })).toEqual(['zoe', 'zoe'])
    await createUser({ body: { uid: 'zoe', name: 'Zoe' } })
    await deleteUser({ params: { uid: 'zoe' }, body: { permanent: true } })
    expect(await uids({ uid: 'zoe' })).toEqual([])
  })
})

test.each<[Query, string[]]>([
  [{}, ['bob', 'eve', 'kim', 'liz', 'moe']],
  [{ messageId: 42 }, ['bob', 'eve', 'kim']],
  [{ messageCategory: 'message', messageType: 'text' }, ['bob', 'eve', 'kim']],
  [{ messageCategory: 'interactive' }, []],
  [{ sender: 'ann', receiverType: 'group' }, ['bob', 'eve']],
  [{ receiver: 'KIM' }, ['kim']],
  [{ reactionId: 7 }, ['liz']],
  [{ reactionSender: 'ann' }, ['liz']],
  [{ reactionReceiver: 'ann' }, []],
  [{ trigger: 'after_group_joined', member: 'ann' }, ['moe']],
  [{ channel: 'email' }, ['moe']],
  [{ provider: 'apns' }, ['kim']],
  [{ reason: 'TIMED_OUT' }, ['kim']],
  [{ notificationTriggered: false }, ['eve']],
  [{ notificationTriggered: true, messageId: 42 }, ['bob', 'kim']],
  [{ success: true }, ['bob']],
  [{ success: false, messageId: 42 }, ['eve', 'kim']],
  [{ from: now, to: now }, ['bob', 'eve', 'kim', 'liz', 'moe']],
  [{ from: now + 1 }, []],
  [{ from: (now - 1) * 1000, to: (now + 1) * 1000 }, ['bob', 'eve', 'kim', 'liz', 'moe']],
  [{ to: (now - 1) * 1000 }, []],
])('the log is narrowed by %j', async (query, expected) => {
  expect(await uids(query)).toEqual(expected)
})

describe('pages', () => {
  test('go back from the newest, and forth again, with meta as it came', async () => {
    const newest = await list({ limit: 2 })
    expect(newest.data.map(({ uid }) => uid)).toEqual(['liz', 'moe'])
    expect(newest.meta.current).toEqual({ limit: 2, count: 2 })
    const older = await list({ limit: 2, ...newest.meta.previous })
    expect(older.data.map(({ uid }) => uid)).toEqual(['eve', 'kim'])
    const oldest = await list({ limit: 2, ...older.meta.previous })
    expect(oldest.data.map(({ uid }) => uid)).toEqual(['bob'])
    expect(oldest.meta.previous).toBeUndefined()
    const forth = await list({ limit: 3, ...oldest.meta.next })
    expect(forth.data.map(({ uid }) => uid)).toEqual(['eve', 'kim', 'liz'])
    const end = await list({ limit: 3, ...newest.meta.next })
    expect(end.data).toEqual([])
    expect(end.meta.next).toEqual(newest.meta.next)
  })

  test('of one message stay with that message', async () => {
    const { meta } = await list({ messageId: 42, limit: 1 })
    expect(meta.previous).toMatchObject({ affix: 'prepend', messageId: 42 })
    expect(await uids({ ...meta.previous })).toEqual(['bob', 'eve'])
  })
})

test('the log is kept for seven days once it was switched on, and read for fourteen', async () => {
  const start = now
  expect(await keepsLogs(db, now)).toBe(false)
  expect((await switchNotificationLogs({ body: { enabled: true } })).data).toEqual({
    enabled: true,
    enabledUntil: now + 7 * day,
    readableUntil: now + 14 * day,
  })
  expect(await keepsLogs(db, now + 7 * day - 1)).toBe(true)
  expect(await keepsLogs(db, now + 7 * day)).toBe(false)
  expect((await switchNotificationLogs({ body: { enabled: false } })).data.enabled).toBe(false)
  expect(await keepsLogs(db, now)).toBe(false)
  now = start + 14 * day
  expect(await uids({ limit: 1 })).toEqual(['moe'])
  now = start + 14 * day + 1
  expect(await uids()).toEqual([])
  now = start
})
