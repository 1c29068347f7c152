import { afterAll, test } from 'vitest'
import { loadGroups, settleEntries, withQuery } from '../../../../testing/src/data/many-entries.ts'
import { openExplainer } from '../../../../testing/src/data/plans.ts'
import { checkPreparedPlans, crowdedGroup } from '../../../../testing/src/data/prepared-plans.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

const app = await startTestApp({ shadow: false })
const explainer = await openExplainer(app.databaseUrl)
afterAll(async () => {
  await explainer[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

test('every prepared statement walks indexes of one partition, at a million entries', async () => {
  const { appId, db, databaseUrl } = app
  await withQuery(databaseUrl, async (query) => {
    await loadGroups(query, appId, { prefix: 'tea', groups: 10_000, members: 8, entries: 96 })
    await loadGroups(query, appId, { prefix: 'hall', groups: 2, members: 10_000, entries: 20_000 })
    await settleEntries(query)
  })
  await checkPreparedPlans(explainer, await crowdedGroup(db, appId, 'tea-1000'))
  await checkPreparedPlans(explainer, await crowdedGroup(db, appId, 'hall-2'))
})
