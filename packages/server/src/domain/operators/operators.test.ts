import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { natsPrefix } from '../../../../testing/src/engines/nats-prefix.ts'
import { signedIn } from '../../../../testing/src/service/console.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { countEvents } from '../stats/index.ts'

let works = false
const heard: string[] = []
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const app = stack.use(
  await startTestApp({
    shadow: false,
    live: {
      settings: {
        NATS_PREFIX: natsPrefix(),
        LISTENER_ATTEMPTS: '1',
      },
      listeners: [
        countEvents,
        {
          name: 'moody',
          idempotent: true,
          on: {
            'user.created': async ({ payload }) => {
              if (!works) throw new Error('not today')
              heard.push(payload.uid)
              return undefined
            },
          },
        },
      ],
    },
  }),
)
const operator = app.as('full')
const developer = await signedIn(app, { '*': 'developer' })
const viewer = await signedIn(app, { '*': 'viewer' })
const ofApp = await signedIn(app, { [app.appId]: 'owner' })
const wait = { timeout: 30_000, interval: 200 }
const none = { code: 'AUTH_ERR_NO_ACCESS', status: 403 }

test('the state of the install is told to its people, and to no app', async () => {
  const { data } = await viewer.calls('').getInstallStatus()
  expect(data).toMatchObject({
    version: expect.any(String),
    database: {
      version: expect.stringMatching(/^1\d\./),
      schema: expect.stringMatching(/^\d{4}-/),
    },
    nats: { version: expect.stringMatching(/^2\./) },
    outbox: { lagSeconds: expect.any(Number) },
  })
  expect(data.queues.length).toBeGreaterThan(5)
  await expect(ofApp.calls('').getInstallStatus()).rejects.toMatchObject(none)
  await expect(ofApp.calls('').listUsage()).rejects.toMatchObject(none)
  await expect(ofApp.calls('').listDeadLetters()).rejects.toMatchObject(none)
})

describe('a dead letter', () => {
  test('is listed with its error, and handed to its listener again by who may', async () => {
    await app.given.users('ann')
    const listed = async () => (await viewer.calls('').listDeadLetters()).data
    const { appId } = app
    const error = expect.stringContaining('not today')
    const letter = { appId, listener: 'moody', event: 'user.created', error }
    await expect.poll(listed, wait).toMatchObject([letter])
    const [oldest] = await listed()
    await app.given.users('cid', 'dan')
    await expect.poll(async () => (await listed()).length, wait).toBe(3)
    const letters = await listed()
    const numbers = letters.map(({ number }) => number)
    const page = { after: Number(oldest?.number), limit: 1 }
    const behind = await viewer.calls('').listDeadLetters({ query: page })
    expect(behind.data).toEqual([letters[1]])
    const nothing = await viewer.calls('').listDeadLetters({ query: { after: Number(numbers[2]) } })
    expect(nothing.data).toEqual([])
    const refused = viewer.calls('').replayDeadLetters({ body: { numbers } })
    await expect(refused).rejects.toMatchObject(none)
    works = true
    const { data } = await developer.calls('').replayDeadLetters({ body: { numbers } })
    expect(data).toEqual({ replayed: numbers.length })
    await expect.poll(() => heard, wait).toContain('ann')
    expect(await listed()).toEqual([])
    const again = await developer.calls('').replayDeadLetters({ body: { numbers } })
    expect(again.data).toEqual({ replayed: 0 })
    const query = { operation: 'replayDeadLetters', limit: 1 }
    expect((await operator.listAuditLog({ query })).data).toMatchObject([
      { collaboratorId: developer.id, input: { body: { numbers } } },
    ])
  })
})

test('usage is told app by app, the busiest first, day by day', async () => {
  const quiet = await app.anotherApp()
  await app.given.users('bob')
  for (let nth = 0; nth < 3; nth++) await app.given.message('ann', 'bob')
  const usage = async () => (await operator.listUsage({ query: { days: 3 } })).data
  await expect.poll(async () => (await usage()).apps[0]?.messages, wait).toBe(3)
  const { apps, from, to } = await usage()
  expect(to - from).toBe(3 * 86_400)
  expect(apps[0]).toMatchObject({
    appId: app.appId,
    messages: 3,
    lastHour: 3,
    days: [0, 0, 3],
    activeUsers: expect.any(Number),
  })
  expect(apps[0]?.usualHour).toBeGreaterThan(0)
  const users = 40_000
  await sql`
    insert into stats_active_users (app_id, day, user_hash)
    select ${quiet.appId}, ${to / 86_400 - 1} - d, hashtextextended('u' || n, 0)
    from generate_series(1, ${users}::int) as n, generate_series(0, 1) as d`.execute(app.db)
  const crowded = (await usage()).apps.find(({ appId }) => appId === quiet.appId)
  expect(Math.abs(Number(crowded?.activeUsers) / users - 1)).toBeLessThan(0.2)
  expect(apps.find(({ appId }) => appId === quiet.appId)).toMatchObject({
    messages: 0,
    lastHour: 0,
    days: [0, 0, 0],
  })
})
