import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { checkHotPlans, crowdedGroup, firstPage, hotStatements } from '../../testing/hot-plans.ts'
import { loadGroups, queryOn, settleEntries } from '../../testing/many-entries.ts'
import { objectionsTo, openExplainer } from '../../testing/plans.ts'
import { startTestApp } from '../../testing/test-app.ts'

const app = await startTestApp({ twin: false })
const explainer = await openExplainer(app.databaseUrl)
afterAll(async () => {
  await explainer[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})
const { db, appId } = app
const query = queryOn(db)

await loadGroups(query, appId, { prefix: 'tea', groups: 100, members: 20, entries: 200 })
await settleEntries(query)
const crowded = await crowdedGroup(db, appId, 'tea-1')

test('every hot statement walks indexes of one partition, at 20,000 entries', async () => {
  await checkHotPlans(explainer, crowded)
})

test('a statement that loses its index is noticed', async () => {
  const objections = async (drop: string, name: string) => {
    const work = hotStatements[name]
    if (!work) throw new Error(`There is no statement ${name}.`)
    const plans = await explainer.plansOf((trx) => work({ appId, db: trx }, crowded), [drop])
    return plans.flatMap((plan) => objectionsTo(plan, { partitions: 'one' }))
  }
  expect(await objections('drop index entries_by_id', 'mark')).not.toEqual([])
  expect(await objections('drop index entries_by_muid', 'find by muid')).not.toEqual([])
  const primary = 'alter table participants drop constraint participants_pkey'
  expect(await objections(primary, 'is participant')).not.toEqual([])
  const byUser = 'drop index participants_by_user'
  const list = await explainer.plansOf((trx) => firstPage({ appId, db: trx }, 'tea-1'), [byUser])
  expect(list.flatMap((plan) => objectionsTo(plan, { partitions: 'many' }))).not.toEqual([])
})

test('a statement that forgets the bucket is noticed', async () => {
  const plans = await explainer.plansOf((trx) =>
    sql`select from entries where conversation_key = ${crowded.place.key} and seq = 1`.execute(trx),
  )
  expect(plans.flatMap((plan) => objectionsTo(plan, { partitions: 'one' })).join()).toContain(
    '16 partitions',
  )
})
