import { afterAll, expect, test } from 'vitest'
import {
  loadGroups,
  settleEntries,
  withQuery,
} from '../../../../../testing/src/data/many-entries.ts'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
const { listMessages } = app.as('full')

test('a filter that finds nothing in all that a page looks at says where to go on', async () => {
  await app.given.users('long-1')
  await withQuery(app.databaseUrl, async (query) => {
    const entries = 4100
    await loadGroups(query, app.appId, { prefix: 'long', groups: 1, members: 1, entries })
    await query(`update entries set type = 'image' where app_id = $1 and seq = 1`, [app.appId])
    await settleEntries(query)
  })
  const list = (at: { id?: string }) =>
    listMessages({ query: { type: 'image', limit: 5, ...at }, onBehalfOf: 'long-1' })
  const newest = await list({})
  expect(newest.data).toEqual([])
  const id = newest.meta.previous?.id
  if (id === undefined) throw new Error('The list ended before its first message.')
  const oldest = await list({ id })
  expect(oldest.data).toMatchObject([{ type: 'image' }])
  expect(oldest.meta.previous).toBeUndefined()
})
