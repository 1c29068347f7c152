import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { withQuery } from '../../../../testing/src/data/many-entries.ts'
import { objectionsTo, openExplainer } from '../../../../testing/src/data/plans.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { findEnded, listDeliveries } from './deliveries.sql.ts'
import { advanceOrderingKey, deliveryQueue } from './delivery-jobs.sql.ts'
import { deleteOldDeliveries, deleteOldOrderingKeys, enqueue } from './queue.sql.ts'
import { findSubscriptions } from './subscriptions.sql.ts'

const app = await startTestApp({ shadow: false })
const explainer = await openExplainer(app.databaseUrl)
afterAll(async () => {
  await explainer[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})
const { db, appId } = app

// Twenty apps with a webhook for which something waits, as much for one of them as for all others
// together; and thousands of webhooks that are quiet.
const apps = Array.from({ length: 20 }, (_, n) => `tenant${n + 10}`)
const slow = apps[7] ?? ''
const limits = { most: 100, perGroup: 5, perApp: 20, leaseMs: 600_000 }
const claimOrderingKeys = deliveryQueue.claim
await sql`
  insert into apps (app_id, name, region, created_at)
  select a, a, 'us', 1 from unnest(${apps}::text[]) as a
  union all select 'quiet' || n, 'quiet', 'us', 1 from generate_series(1, 4000) as n`.execute(db)
await sql`
  insert into webhooks (app_id, webhook_id, version, name, url, use_basic_auth, secret_encrypted,
                        enabled, retry_on_failure, retry_hours, on_failure, created_at, updated_at)
  select a, 'w', 2, 'w', 'https://example.com', false, '', true, false, 0, 'open', 1, 1
  from apps, lateral (select app_id as a) x where created_at = 1`.execute(db)
// Past the service, whose statements may not take this long.
await withQuery(app.databaseUrl, async (query) => {
  await query(
    `insert into webhook_ordering_keys (app_id, webhook_id, ordering_key, due_at)
     select a, 'w', 'key' || n, n
     from unnest($1::text[]) as a,
          generate_series(1, case when a = $2 then 40000 else 2000 end) as n`,
    [apps, slow],
  )
  await query(
    `insert into webhook_deliveries (app_id, webhook_id, delivery_id, event_id, trigger, ordering_key, body,
                                     status, opened_at, created_at)
     select s.app_id, 'w', gen_random_uuid(), s.ordering_key || ':' || n, 'message_sent', s.ordering_key, '{}',
            case n when 3 then 'waiting' else 'delivered' end, 1, 1
     from webhook_ordering_keys s, generate_series(1, 3) as n`,
  )
  await query('vacuum analyze webhook_ordering_keys, webhook_deliveries, webhooks')
})

test('a claim, and whatever else is asked often, walks indexes however much waits', async () => {
  const of = { id: 'w', createdAt: 1 }
  const inApp = (trx: typeof db) => ({ db: trx, appId: slow })
  const key = { appId: slow, webhookId: 'w', orderingKey: 'key1', createdAt: 1 }
  const works: Record<string, (trx: typeof db) => Promise<unknown>> = {
    due: deliveryQueue.nextDueMs,
    claim: (trx) => claimOrderingKeys(trx, limits),
    enqueue: (trx) =>
      enqueue(
        inApp(trx),
        [{ webhookId: 'w', eventId: 'e', trigger: 't', orderingKey: 's', body: '' }],
        1,
      ),
    advance: (trx) => advanceOrderingKey(trx, key),
    list: (trx) => listDeliveries(inApp(trx), of, { limit: 10 }),
    'list by trigger': (trx) => listDeliveries(inApp(trx), of, { trigger: 'none', limit: 10 }),
    failed: (trx) => findEnded(inApp(trx), of, { status: 'failed' }, 10),
    forget: (trx) => deleteOldDeliveries(trx, 1),
  }
  for (const [name, work] of Object.entries(works)) {
    const plans = await explainer.plansOf(work)
    const objections = plans.flatMap((plan) => objectionsTo(plan, { partitions: 'one' }))
    expect([name, objections]).toEqual([name, []])
  }
})

test('everyone has a turn before anyone has two, and nobody more than their places', async () => {
  const counted = (claimed: readonly { appId: string }[]) =>
    new Map([...Map.groupBy(claimed, (one) => one.appId)].map(([id, list]) => [id, list.length]))
  const first = counted(await claimOrderingKeys(db, { ...limits, most: 30 }))
  expect([first.size, Math.max(...first.values())]).toEqual([20, 2])
  const all = [...first, ...counted(await claimOrderingKeys(db, { ...limits, most: 1000 }))]
  const held = Map.groupBy(all, ([id]) => id)
  for (const [, parts] of held) {
    expect(parts.reduce((sum, [, n]) => sum + n, 0)).toBe(limits.perGroup)
  }
  expect(await claimOrderingKeys(db, limits)).toEqual([])
})

test('what a process had in hand when it died is taken again when its lease has run out', async () => {
  await sql`update webhook_ordering_keys set due_at = 1, leased_until = 1
    where leased_until is not null and app_id = ${slow}`.execute(db)
  const again = await claimOrderingKeys(db, limits)
  expect(again.map((job) => job.appId)).toEqual(Array(5).fill(slow))
  expect(again.every(({ deliveryId }) => deliveryId !== null)).toBe(true)
})

test('an event that comes again is delivered once, and each ordering key has one row', async () => {
  await app.as('full').createWebhook({
    params: { appId },
    body: { id: 'w', name: 'w', webhookURL: 'https://example.com' },
  })
  const delivery = { webhookId: 'w', eventId: 'one', trigger: 't', orderingKey: 's', body: '{}' }
  expect(await enqueue(app, [delivery, { ...delivery, eventId: 'two' }], 1)).toHaveLength(2)
  expect(await enqueue(app, [delivery], 2)).toEqual([])
  const { rows } = await sql`
    select ordering_key as "orderingKey" from webhook_ordering_keys where app_id = ${appId}`.execute(
    db,
  )
  expect(rows).toEqual([{ orderingKey: 's' }])
})

test('what is old goes, and what waited for a webhook that is gone', async () => {
  const rowsOf = async (table: string) => {
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from ${sql.table(table)} where app_id = ${appId}`.execute(db)
    return rows[0]?.n
  }
  const delivery = { webhookId: 'w', eventId: 'late', trigger: 't', orderingKey: 's', body: '{}' }
  await enqueue(app, [delivery], 100)
  await sql`delete from webhook_deliveries where app_id = ${slow}`.execute(db)
  while ((await deleteOldDeliveries(db, 100)) > 0);
  expect(await rowsOf('webhook_deliveries')).toBe(1)
  await deleteOldOrderingKeys(db)
  expect(await rowsOf('webhook_ordering_keys')).toBe(1)
  await app.as('full').deleteWebhook({ params: { appId, webhookId: 'w' } })
  await deleteOldOrderingKeys(db)
  expect(await rowsOf('webhook_ordering_keys')).toBe(0)
})

test('deliveries are those of the app, though another has a webhook of the same id', async () => {
  const [one = '', other = ''] = apps
  const delivery = { webhookId: 'w', eventId: 'both', trigger: 't', orderingKey: 's', body: '' }
  const [own] = await enqueue({ db, appId: one }, [delivery], 10)
  expect(await enqueue({ db, appId: other }, [delivery], 10)).toHaveLength(1)
  const filter = { limit: 10, createdFrom: 10 }
  const listed = await listDeliveries({ db, appId: one }, { id: 'w', createdAt: 1 }, filter)
  expect(listed.map(({ id }) => id)).toEqual([own])
})

test('what happened before a webhook was there is not for it', async () => {
  const inApp = { db, appId: apps[0] ?? '' }
  expect(await findSubscriptions(inApp, 0)).toEqual([])
  expect(await findSubscriptions(inApp, 1)).toMatchObject([{ id: 'w' }])
})
