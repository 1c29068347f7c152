import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { openTransactions } from '../../outbox/unit-of-work.ts'
import { deliveryQueue } from './delivery-jobs.sql.ts'
import { enqueue } from './queue.sql.ts'
import { notifyWebhooks } from './webhooks.on.ts'

const at = 1_800_000_000
const app = await startTestApp({ shadow: false, clock: () => at })
afterAll(() => app[Symbol.asyncDispose]())
const { db, appId } = app
const full = app.as('full')

async function createWebhook(id: string, triggerIds: string[]): Promise<void> {
  const headers = { 'X-Webhook-Version': 2 }
  const body = { id, name: id, webhookURL: 'https://example.com' }
  await full.createWebhook({ params: { appId }, headers, body })
  const params = { appId, webhookId: id }
  if (triggerIds.length > 0)
    await full.addWebhookTriggers({ params, headers, body: { triggerIds } })
}

test('the first delivery of an ordering key is claimed, wherever its row lies and however it is found', async () => {
  await createWebhook('ordered', [])
  const delivery = { webhookId: 'ordered', trigger: 't', orderingKey: 's', body: '{}' }
  for (const eventId of ['first', 'second']) await enqueue(app, [{ ...delivery, eventId }], at)
  await sql`
    update webhook_deliveries set body = '{"more":1}'
    where app_id = ${appId} and event_id = 'first'`.execute(db)
  const limits = { most: 10, perGroup: 5, perApp: 5, leaseMs: 600_000 }
  const claimed = await db.transaction().execute(async (trx) => {
    for (const scan of ['indexscan', 'indexonlyscan', 'bitmapscan']) {
      await sql`select set_config(${`enable_${scan}`}, 'off', true)`.execute(trx)
    }
    return deliveryQueue.claim(trx, limits)
  })
  expect(claimed.map(({ eventId }) => eventId)).toEqual(['first'])
})

test('an event that is heard again is delivered once', async () => {
  await createWebhook('heard', ['group_created'])
  await app.given.group('tea')
  const { inApp } = openTransactions({
    begin: (work) => db.transaction().execute(work),
    onCommit: () => undefined,
    clock: () => at,
  })
  const event = { id: 'one', name: 'group.created', at, payload: { guid: 'tea' } } as const
  for (let times = 0; times < 3; times++) {
    await inApp(appId, async (transaction) => {
      await notifyWebhooks.on['group.created']?.(event, transaction)
    })
  }
  const { data } = await full.listDeliveries({ params: { appId, webhookId: 'heard' } })
  expect(data).toMatchObject([{ trigger: 'group_created' }])
})
