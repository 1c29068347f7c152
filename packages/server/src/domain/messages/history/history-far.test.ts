import { afterAll, expect, test, vi } from 'vitest'
import { loadGroups, withQuery } from '../../../../../testing/src/data/many-entries.ts'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'

vi.setConfig({ testTimeout: 120_000 })
const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())

test('L12: a filter that matches nothing looks at 5000 entries, and says where to go on', async () => {
  const calls = app.as('full')
  await app.given.users('far-1', 'far-2')
  const size = { prefix: 'far', groups: 1, members: 2, entries: 5200 }
  await withQuery(app.databaseUrl, (query) => loadGroups(query, app.appId, size))
  await withQuery(app.databaseUrl, (query) =>
    query(`update entries set type = 'rare' where app_id = $1 and seq in (1, 150)`, [app.appId]),
  )
  const page = (id?: string) =>
    calls.listGroupMessages({
      params: { guid: 'far-1' },
      query: { type: 'rare', limit: 10, ...(id !== undefined && { id }) },
      onBehalfOf: 'far-1',
    })
  const first = await page()
  expect(first.data).toEqual([])
  const next = first.meta.previous?.id
  expect(next).toBeDefined()
  const second = await page(next)
  expect(second.data).toHaveLength(2)
  expect(second.meta.previous?.id).toBeUndefined()
})
