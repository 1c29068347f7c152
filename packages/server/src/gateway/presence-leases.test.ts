import { sql } from 'kysely'
import { afterAll, expect, test, vi } from 'vitest'
import { connectDevice } from '../../../testing/src/service/device.ts'
import { startRealtimeFixture } from '../../../testing/src/service/realtime-fixture.ts'

vi.setConfig({ testTimeout: 120_000 })

const fixture = await startRealtimeFixture({ GATEWAY_LEASE_SECONDS: '8' })
afterAll(() => fixture[Symbol.asyncDispose]())
const { app, full, device } = fixture
const wait = { timeout: 40_000 }

async function statusOf(uid: string) {
  return (await full.getUser({ params: { uid } })).data.status
}

test('a user goes offline although one of the same uid is online in another app', async () => {
  await app.given.users('ann')
  const keys = await app.anotherApp()
  const elsewhere = app.client(keys, 'full')
  await elsewhere.createUser({ body: { uid: 'ann', name: 'Ann' } })
  const { data } = await elsewhere.createAuthToken({ params: { uid: 'ann' }, body: {} })
  const { authToken } = data
  await using _ = await connectDevice({ origin: app.origin, appId: keys.appId, authToken })
  const there = async () => (await elsewhere.getUser({ params: { uid: 'ann' } })).data.status
  await expect.poll(there, wait).toBe('available')
  const ann = await device('ann')
  await expect.poll(() => statusOf('ann'), wait).toBe('available')
  await ann[Symbol.asyncDispose]()
  await expect.poll(() => statusOf('ann'), wait).toBe('offline')
  expect(await there()).toBe('available')
})

test('a user who leaves one gateway stays online at another', async () => {
  await app.given.users('two', 'one')
  const { origin } = await fixture.otherApi('live')
  const here = await device('two')
  const one = await device('one')
  await using _ = await device('two', { origin })
  const holders = async () => {
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from presence_leases
      where app_id = ${app.appId} and uid = 'two'`.execute(app.db)
    return rows[0]?.n
  }
  await expect.poll(holders, wait).toBe(2)
  await expect.poll(() => statusOf('one'), wait).toBe('available')
  await here[Symbol.asyncDispose]()
  // Written together with the other, or later.
  await one[Symbol.asyncDispose]()
  await expect.poll(() => statusOf('one'), wait).toBe('offline')
  expect([await statusOf('two'), await holders()]).toEqual(['available', 1])
})

test('whoever is connected is online again, when their gateway has lost its lease and renews it', async () => {
  await app.given.users('len')
  await using _ = await device('len')
  await expect.poll(() => statusOf('len'), wait).toBe('available')
  // As another gateway does with a lease that was not renewed in time.
  await sql`delete from gateway_leases`.execute(app.db)
  await sql`
    update presence set online = false
    where app_id = ${app.appId} and uid = 'len'`.execute(app.db)
  await expect.poll(() => statusOf('len'), wait).toBe('available')
})

test('a device does not hear of the coming and going of those whom its user has blocked', async () => {
  await app.given.users('eve', 'bad', 'fay')
  await full.blockUsers({ params: { uid: 'eve' }, body: { blockedUids: ['bad'] } })
  await using eve = await device('eve', { presence: { of: 'all' } })
  await expect.poll(() => statusOf('eve'), wait).toBe('available')
  await using _ = await device('bad')
  await expect.poll(() => statusOf('bad'), wait).toBe('available')
  await using __ = await device('fay')
  const uids = () => eve.of('presence').map(({ uid }) => uid)
  await expect.poll(uids, wait).toContain('fay')
  expect(uids()).not.toContain('bad')
})
