import { sql } from 'kysely'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { openTransactions } from '../../outbox/unit-of-work.ts'
import { addPoints, noteActive, notePeak } from './counting.sql.ts'
import { countEvents } from './index.ts'

const day = 86_400
const may = Date.UTC(2026, 4) / 1000
const june = Date.UTC(2026, 5) / 1000
const now = may + 16 * day
const app = await startTestApp({ shadow: false, clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const other = await app.anotherApp()
const inOther = { db: app.db, appId: other.appId }
const full = app.as('full')

beforeEach(async () => {
  await sql`delete from stats_points`.execute(app.db)
  await sql`delete from stats_active_users`.execute(app.db)
  await sql`delete from stats_peaks`.execute(app.db)
})

const usage = async () =>
  (await full.getAppUsage({ params: { appId: app.appId }, body: {} })).data.message
const metrics = async (from: number, to: number) =>
  (await full.getStats({ query: { fromDate: from * 1000, toDate: to * 1000 } })).data.metrics

test('a month has its first and its last day, and not the first of the next', async () => {
  const point = { grain: day, deliveries: 0, reads: 0 }
  await addPoints(app, 0, [
    { ...point, startsAt: may - day, messages: 1 },
    { ...point, startsAt: may, messages: 10 },
    { ...point, startsAt: june - day, messages: 100 },
    { ...point, startsAt: june, messages: 1000 },
  ])
  await noteActive(app, [
    { uid: 'before', at: may - 1 },
    { uid: 'first', at: may },
    { uid: 'last', at: june - 1 },
    { uid: 'after', at: june },
  ])
  expect(await usage()).toContain('2026-05: 110 messages, 2 active users')
})

test('who was active in another app is not counted', async () => {
  await noteActive(app, [{ uid: 'ann', at: now }])
  await noteActive(inOther, [
    { uid: 'bob', at: now },
    { uid: 'cid', at: now },
  ])
  expect(await metrics(now - day, now + day)).toMatchObject({ active_users: 1 })
})

test('who is online in another app is not counted', async () => {
  await app.given.users('ann')
  const create = app.client(other, 'full').createUser
  for (const uid of ['bob', 'cid']) await create({ body: { uid, name: uid } })
  await sql`
    insert into presence (app_id, uid, online, last_active_at)
    values (${app.appId}, 'ann', true, 1), (${other.appId}, 'bob', true, 1),
      (${other.appId}, 'cid', true, 1)`.execute(app.db)
  await notePeak(app, now)
  expect(await metrics(now - day, now + day)).toMatchObject({ concurrent_users: 1 })
})

test('the peak of the five minutes in which a range begins is in it, and of those before is not', async () => {
  await sql`
    insert into stats_peaks (app_id, starts_at, online)
    values (${app.appId}, ${now - 300}, 9), (${app.appId}, ${now}, 5)`.execute(app.db)
  expect(await metrics(now + 299, now + 600)).toMatchObject({ concurrent_users: 5 })
  expect(await metrics(now + 300, now + 600)).toMatchObject({ concurrent_users: 0 })
})

test('an old event that comes again says nothing of who is online now', async () => {
  await app.given.users('dan')
  await sql`
    insert into presence (app_id, uid, online, last_active_at)
    values (${app.appId}, 'dan', true, 1)`.execute(app.db)
  const came = async (at: number) => {
    const payload = { uid: 'dan', status: 'available', lastActiveAt: at } as const
    const event = { id: `at ${at}`, name: 'user.connectionStatusChanged', at, payload } as const
    const { inApp } = openTransactions({
      begin: (work) => app.db.transaction().execute(work),
      onCommit: () => undefined,
      clock: () => now,
    })
    await inApp(app.appId, async (ctx) => countEvents.together?.react([event], ctx))
    return (await metrics(now - day, now + day)).concurrent_users > 0
  }
  expect(await came(now - 301)).toBe(false)
  expect(await came(now - 1)).toBe(true)
})
