import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { natsPrefix } from '../../../../testing/src/engines/nats-prefix.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { countEvents } from './index.ts'
import { deleteOldStats } from './stats.sql.ts'

const noon = Date.UTC(2026, 4, 17, 12, 2, 30) / 1000
let now = noon
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const app = stack.use(
  await startTestApp({
    shadow: false,
    clock: () => now,
    live: { listeners: [countEvents], settings: { NATS_PREFIX: natsPrefix() } },
  }),
)
const full = app.as('full')
const wait = { timeout: 20_000 }
const ms = (seconds: number) => String(seconds * 1000)
const points = async (query = {}) => (await full.getMessageStats({ query })).data

await app.given.users('ann', 'bob')

describe('message metrics', () => {
  test('requirement 4.10, 2.8: without parameters the last hour, twelve whole points of five minutes, oldest first', async () => {
    const data = await points()
    const end = noon - 150
    expect([data.startTime, data.endTime, data.appId]).toEqual([ms(end - 3600), ms(end), app.appId])
    expect(data.dataPoints).toHaveLength(12)
    expect(data.dataPoints[0]).toEqual({
      messagesSent: 0,
      readReceipts: 0,
      deliveryReceipts: 0,
      startTime: ms(end - 3600),
      endTime: ms(end - 3300),
    })
    const starts = data.dataPoints.map(({ startTime }) => Number(startTime))
    expect(starts).toEqual(starts.map((_, nth) => (end - 3600 + nth * 300) * 1000))
    expect(data.dataPoints.at(-1)?.endTime).toBe(data.endTime)
  })

  test('requirement 4.10: a message, its delivery and its reading are in the point of their moment', async () => {
    await app.given.message('ann', 'bob')
    await app.given.message('ann', 'bob')
    now = noon + 300
    await full.markUserConversationDelivered({
      onBehalfOf: 'bob',
      params: { uid: 'ann' },
      body: {},
    })
    now = noon + 600
    await full.markUserConversationRead({ onBehalfOf: 'bob', params: { uid: 'ann' }, body: {} })
    now = noon + 900
    const figures = async () =>
      (await points()).dataPoints
        .slice(-3)
        .map((point) => [point.messagesSent, point.deliveryReceipts, point.readReceipts])
    await expect.poll(figures, wait).toEqual([
      [2, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ])
  })

  test('what a group says of itself is no message', async () => {
    await app.given.group('friends', { owner: 'ann', members: { participants: ['bob'] } })
    const body = { receiver: 'friends', receiverType: 'group', type: 'text' } as const
    await full.sendMessage({
      onBehalfOf: 'ann',
      body: { ...body, category: 'message', data: { text: 'hi' } },
    })
    const last = async () => {
      const { dataPoints } = await points({ endTime: (noon + 1200) * 1000 })
      return dataPoints.at(-1)?.messagesSent
    }
    await expect.poll(last, wait).toBe(1)
  })

  test('another window, in hours or days', async () => {
    const hour = noon - (noon % 3600)
    const window = { startTime: (hour - 3600) * 1000, endTime: (hour + 3600) * 1000 }
    const hours = await points({ ...window, interval: 3600 })
    expect(hours.dataPoints.map(({ messagesSent }) => messagesSent)).toEqual([0, 3])
    const days = await points({ interval: 86_400, endTime: (noon + 86_400) * 1000 })
    expect(days.dataPoints).toHaveLength(24)
    expect(days.dataPoints.at(-1)?.messagesSent).toBe(3)
    expect(await points({ endTime: 300 })).toMatchObject({ startTime: '0', endTime: '300000' })
  })

  test.each([
    ['more than a day of five minutes', { startTime: (noon - 90_000) * 1000 }],
    ['an end before its start', { startTime: (noon + 9000) * 1000, endTime: noon * 1000 }],
  ])('%s is refused', async (_what, query) => {
    await expect(points(query)).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' })
  })
})

describe('figures of an app', () => {
  test('who was active, and that there are no calls', async () => {
    const query = { fromDate: (noon - 86_400) * 1000, toDate: (noon + 3600) * 1000 }
    const { data } = await full.getStats({ query })
    expect(data).toEqual({
      metrics: {
        audio_minutes: 0,
        video_minutes: 0,
        recorded_minutes: 0,
        active_users: 2,
        concurrent_users: 0,
      },
      time_range: query,
    })
    const before = { fromDate: (noon - 172_800) * 1000, toDate: (noon - 86_400) * 1000 }
    expect((await full.getStats({ query: before })).data.metrics.active_users).toBe(0)
  })

  test('the operator hears of a month', async () => {
    const params = { appId: app.appId }
    const { data } = await full.getAppUsage({ params, body: {} })
    expect(data.message).toBe('2026-05: 3 messages, 2 active users, 0 online at once at most.')
    const last = await full.getAppUsage({ params, body: { usePreviousBillingCycle: true } })
    expect(last.data.message).toContain('2026-04: 0 messages')
    const nobody = full.getAppUsage({ params: { appId: 'nobody' }, body: {} })
    await expect(nobody).rejects.toMatchObject({ code: 'ERR_APP_NOT_FOUND' })
  })

  test('nobody else sees them', async () => {
    const other = app.client(await app.anotherApp(), 'full')
    const { data } = await other.getMessageStats({ query: { interval: 86_400 } })
    expect(data.dataPoints.every(({ messagesSent }) => messagesSent === 0)).toBe(true)
  })
})

test('five minutes are kept for 90 days, hours for two years, days for ever', async () => {
  const grains = async () => {
    const { rows } = await sql<{ grain: number }>`
      select distinct grain from stats_points order by grain`.execute(app.db)
    return rows.map(({ grain }) => grain)
  }
  expect(await grains()).toEqual([300, 3600, 86_400])
  await deleteOldStats(app, noon + 89 * 86_400)
  expect(await grains()).toEqual([300, 3600, 86_400])
  await deleteOldStats(app, noon + 91 * 86_400)
  expect(await grains()).toEqual([3600, 86_400])
  await deleteOldStats(app, noon + 731 * 86_400)
  expect(await grains()).toEqual([86_400])
})
