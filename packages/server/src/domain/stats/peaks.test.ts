import { afterAll, expect, test } from 'vitest'
import { startRealtimeFixture } from '../../../../testing/src/service/realtime-fixture.ts'
import { countEvents } from './index.ts'

const fixture = await startRealtimeFixture()
afterAll(() => fixture[Symbol.asyncDispose]())
const { app, full, device } = fixture

test('the most users that were online at once are remembered after they have gone', async () => {
  app.startWorker([countEvents])
  await app.given.users('ann', 'bob')
  const day = 86_400_000
  const metrics = async () => {
    const query = { fromDate: Date.now() - day, toDate: Date.now() + day }
    const { active_users, concurrent_users } = (await full.getStats({ query })).data.metrics
    return { active_users, concurrent_users }
  }
  const both = { active_users: 2, concurrent_users: 2 }
  const ann = await device('ann')
  const bob = await device('bob')
  await expect.poll(metrics, { timeout: 20_000 }).toEqual(both)
  await ann[Symbol.asyncDispose]()
  await bob[Symbol.asyncDispose]()
  const statusOf = async (uid: string) => (await full.getUser({ params: { uid } })).data.status
  await expect.poll(() => statusOf('bob'), { timeout: 20_000 }).toBe('offline')
  expect(await metrics()).toEqual(both)
})
