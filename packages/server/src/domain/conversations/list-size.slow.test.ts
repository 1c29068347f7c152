import { afterAll, expect, test } from 'vitest'
import { loadGroups, settleEntries, withQuery } from '../../../../testing/src/data/many-entries.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { medianOf, takingTurns } from '../../../../testing/src/taking-turns.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())

const rounds = 50
const perPage = 100

test('the first page of a user in 10,000 groups costs at most 3 times that of one in 100', async () => {
  const { appId, databaseUrl } = app
  await app.given.users('few-1', 'few-2', 'few-3', 'many-1', 'many-2', 'many-3')
  await withQuery(databaseUrl, async (query) => {
    await loadGroups(query, appId, { prefix: 'few', groups: 100, members: 3, entries: 5 })
    await loadGroups(query, appId, { prefix: 'many', groups: 10_000, members: 3, entries: 5 })
    // Others have conversations too: nobody's list may cost what they have.
    await loadGroups(query, appId, { prefix: 'others', groups: 20_000, members: 3, entries: 2 })
    await settleEntries(query)
  })
  const { listConversations } = app.as('full')
  const firstPage = async (uid: string) => {
    const { data } = await listConversations({ query: { perPage }, onBehalfOf: uid })
    expect(data).toHaveLength(perPage)
  }
  const times = await takingTurns(
    rounds,
    () => firstPage('few-1'),
    () => firstPage('many-1'),
  )
  const [few, many] = [medianOf(times.one), medianOf(times.two)]
  console.table({
    'in 100 groups': { ms: few },
    'in 10,000 groups': { ms: many, ratio: many / few },
  })
  expect(many / few).toBeLessThanOrEqual(3)
})
