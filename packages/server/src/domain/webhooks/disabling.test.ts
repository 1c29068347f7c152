import { afterAll, expect, test } from 'vitest'
import { auditOf } from '../../../../testing/src/data/audit.ts'
import { answer } from '../../../../testing/src/network/receiver.ts'
import { startWebhookFixture } from '../../../../testing/src/webhooks/webhook-fixture.ts'

const wait = { timeout: 30_000, interval: 20 }
const day = 86_400
let now = 1_800_000_000
const fixture = await startWebhookFixture({ WEBHOOK_DISABLE_DAYS: '3' }, { clock: () => now })
afterAll(() => fixture[Symbol.asyncDispose]())
const { app, full } = fixture
await app.given.users('ann', 'bob')
const headers = { 'X-Webhook-Version': 2 }

test('after days of nothing but failures a webhook is switched off, and an event says so', async () => {
  const { params, receiver } = await fixture.hook('poor', ['message_sent'], { behave: answer(500) })
  const { webhookId } = params
  const webhook = async () => (await full.getWebhook({ params, headers })).data
  const sayAndFail = async (failed: number) => {
    await app.given.message('ann', 'bob')
    const query = { status: 'failed' } as const
    const all = async () => (await full.listDeliveries({ params, query })).data.length
    await expect.poll(all, wait).toBe(failed)
  }
  await sayAndFail(1)
  expect(await webhook()).toMatchObject({ enabled: true, failingSince: now })
  now += 2 * day
  receiver.behave = answer(200)
  await app.given.message('ann', 'bob')
  await expect.poll(webhook, wait).not.toHaveProperty('failingSince')
  receiver.behave = answer(500)
  await sayAndFail(2)
  const failingSince = now
  now += 2 * day
  await sayAndFail(3)
  expect(await webhook()).toMatchObject({ enabled: true, failingSince })
  now += day
  await sayAndFail(4)
  expect(await webhook()).toMatchObject({ enabled: false, disabledAt: now, failingSince })

  expect((await auditOf(app.db, app.appId)).at(-1)).toMatchObject({
    caller: 'system:webhooks',
    operation: 'disableWebhook',
    target: { webhookId, failingSince },
  })
  const disabledEvents = async () =>
    (await full.listEvents()).data.filter(({ type }) => type === 'webhook.disabled')
  await expect.poll(disabledEvents, wait).toMatchObject([{ data: { webhookId, failingSince } }])

  const { data } = await full.updateWebhook({ params, headers, body: { enabled: true } })
  expect(data).not.toHaveProperty('disabledAt')
  expect(data).not.toHaveProperty('failingSince')
})
