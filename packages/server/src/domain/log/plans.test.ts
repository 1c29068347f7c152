import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { loadGroups, settleEntries, withQuery } from '../../../../testing/src/data/many-entries.ts'
import { objectionsTo, openExplainer } from '../../../../testing/src/data/plans.ts'
import {
  checkPreparedPlans,
  crowdedGroup,
  firstPage,
  preparedStatements,
} from '../../../../testing/src/data/prepared-plans.ts'
import { leaveReceipts } from '../../../../testing/src/recovery/left-behind.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { readAppends } from '../../outbox/backlog.ts'

const app = await startTestApp({ shadow: false })
const explainer = await openExplainer(app.databaseUrl)
afterAll(async () => {
  await explainer[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})
const { db, appId } = app

// A table of few pages is rightly read from end to end: there must be enough of everything.
await withQuery(app.databaseUrl, async (query) => {
  await loadGroups(query, appId, { prefix: 'tea', groups: 8000, members: 2, entries: 2 })
  await loadGroups(query, appId, { prefix: 'hall', groups: 4, members: 1000, entries: 1000 })
  await settleEntries(query)
  await leaveReceipts(query, appId, 1000)
  await query('vacuum (analyze) append_receipts')
})
const crowded = await crowdedGroup(db, appId, 'hall-1')

test('every prepared statement walks indexes of one partition, at 20,000 entries', async () => {
  await checkPreparedPlans(explainer, crowded)
})

test('a statement that loses its index is noticed', async () => {
  const objections = async (drop: string, name: string) => {
    const work = preparedStatements[name]
    if (!work) throw new Error(`There is no statement ${name}.`)
    const plans = await explainer.plansOf((trx) => work({ appId, db: trx }, crowded), [drop])
    return plans.flatMap((plan) => objectionsTo(plan, { partitions: 'one' }))
  }
  expect(await objections('drop index entries_by_id', 'mark')).not.toEqual([])
  const primary = 'alter table conversations drop constraint conversations_pkey'
  expect(await objections(primary, 'head')).not.toEqual([])
  const without = [
    'drop index participants_by_user',
    'alter table participants drop constraint participants_pkey',
  ]
  const list = await explainer.plansOf((trx) => firstPage({ appId, db: trx }, 'hall-1'), without)
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

test('reliability 1: the sweeper reads the entries of its receipts, whatever the planner prefers', async () => {
  const preferences = ['jit = off', 'enable_nestloop = off', 'enable_seqscan = off']
  for (const preference of preferences) {
    const first = ['set local jit = off', `set local ${preference}`]
    const plans = await explainer.plansOf(async (trx) => {
      const { items } = await readAppends(trx, 1_800_000_000)
      expect(items.flatMap(({ entries }) => entries)).toHaveLength(800)
    }, first)
    const ofEntries = plans
      .flatMap((plan) => objectionsTo(plan, { partitions: 'many' }))
      .filter((objection) => objection.includes('entries'))
    expect(ofEntries).toEqual([])
  }
})
