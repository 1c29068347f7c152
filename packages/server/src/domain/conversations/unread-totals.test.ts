import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { type Reader, unreadTotals } from './conversations.sql.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())

test('totals of users of the same uid in two apps, read together, are those of each app', async () => {
  const other = await app.anotherApp()
  const elsewhere = app.client(other, 'full')
  await app.given.users('ann', 'bob')
  for (const uid of ['ann', 'bob']) await elsewhere.createUser({ body: { uid, name: uid } })
  const body = { receiver: 'bob', receiverType: 'user', data: { text: 'hello' } } as const
  await app.given.message('ann', 'bob')
  for (let n = 0; n < 2; n++) await elsewhere.sendMessage({ onBehalfOf: 'ann', body })
  const readers = [app, other].map(({ appId }): Reader => ({ appId, uid: 'bob' }))
  const totals = await unreadTotals(app.db, readers, ({ appId }) => appId)
  expect(Object.fromEntries(totals)).toEqual({ [app.appId]: 1, [other.appId]: 2 })
})
