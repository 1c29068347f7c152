import type { Delivery, deliveries } from '@chorale/contract/webhooks'
import { v7 as uuidv7 } from 'uuid'
import { badRequest, Failure } from '../../pipeline/failure.ts'
import type { Handlers, ReadCtx, WriteCtx } from '../../pipeline/handler.ts'
import { accessWebhook } from './access.ts'
import {
  type DeliveryRow,
  findDelivery,
  findEnded,
  listDeliveries,
  reopen,
  type WholeDeliveryRow,
} from './deliveries.sql.ts'
import { deliveryQueue } from './delivery-jobs.sql.ts'
import { envelope } from './payloads/envelope.ts'
import { enqueue, openOrderingKeys } from './queue.sql.ts'
import type { WebhookRow } from './webhooks.sql.ts'

const maxAtOnce = 1000
const testTrigger = 'webhook_test'

export const deliveryHandlers: Handlers<typeof deliveries> = {
  async listDeliveries({ params, query }, ctx) {
    const webhook = await accessWebhook(ctx, params.webhookId)
    const rows = await listDeliveries(ctx.db, webhook, query)
    const last = rows.length === query.limit ? rows.at(-1) : undefined
    return {
      data: rows.map(shown),
      meta: {
        current: { limit: query.limit, count: rows.length },
        ...(last && { next: { affix: 'prepend' as const, before: last.id } }),
      },
    }
  },

  async getDelivery({ params }, ctx) {
    const webhook = await accessWebhook(ctx, params.webhookId)
    const row = await accessDelivery(ctx, webhook, params.deliveryId)
    const { body, log } = row
    return { data: { ...shown(row), request: { url: webhook.url, body }, log } }
  },

  async redeliver({ params }, ctx) {
    const webhook = await accessEnabled(ctx, params.webhookId)
    const row = await accessDelivery(ctx, webhook, params.deliveryId)
    await tryAnew(ctx, webhook, [row])
    return { data: shown(await accessDelivery(ctx, webhook, row.id)) }
  },

  async redeliverMany({ params, body }, ctx) {
    const webhook = await accessEnabled(ctx, params.webhookId)
    const rows = await findEnded(ctx.db, webhook, body, maxAtOnce)
    await tryAnew(ctx, webhook, rows)
    const last = rows.length === maxAtOnce ? rows.at(-1) : undefined
    return { data: { redelivered: rows.length, ...(last && { next: last.id }) } }
  },

  async testWebhook({ params }, ctx) {
    const webhook = await accessEnabled(ctx, params.webhookId)
    const at = { appId: ctx.db.appId, region: ctx.app.region, webhook: webhook.id }
    const data = JSON.stringify({ message: 'This is a test.', timestamp: ctx.now })
    const eventId = `${uuidv7()}:${testTrigger}`
    const body = envelope(testTrigger, data, at)
    const delivery = {
      webhookId: webhook.id,
      eventId,
      trigger: testTrigger,
      orderingKey: testTrigger,
      body,
    }
    const [id = ''] = await enqueue(ctx.db, [delivery], ctx.now)
    ctx.outbox.wake(deliveryQueue)
    return { data: shown(await accessDelivery(ctx, webhook, id)) }
  },
}

/** Nothing is sent to one that is switched off. */
async function accessEnabled(ctx: ReadCtx, id: string): Promise<WebhookRow> {
  const webhook = await accessWebhook(ctx, id)
  if (!webhook.enabled) throw badRequest('webhookId', 'The webhook is not enabled.')
  return webhook
}

async function accessDelivery(
  { db }: ReadCtx,
  of: WebhookRow,
  id: string,
): Promise<WholeDeliveryRow> {
  const row = await findDelivery(db, of, id)
  if (!row) throw new Failure('ERR_DELIVERY_NOT_FOUND', { id })
  return row
}

/** Locks the ordering keys first, as whoever ends a delivery does. */
async function tryAnew(
  ctx: WriteCtx,
  { id }: WebhookRow,
  rows: readonly DeliveryRow[],
): Promise<void> {
  const ended = rows.filter(({ status }) => status !== 'waiting')
  ctx.outbox.wake(deliveryQueue)
  await openOrderingKeys(
    ctx.db,
    ended.map(({ orderingKey }) => ({ webhookId: id, orderingKey })),
    'now',
  )
  await reopen(
    ctx.db,
    id,
    ended.map((row) => row.id),
    ctx.now,
  )
}

function shown(row: DeliveryRow): Delivery {
  const { id, eventId, trigger, status, attempts, createdAt, nextAttemptAt } = row
  return {
    id,
    eventId,
    trigger,
    status,
    attempts,
    createdAt,
    ...(nextAttemptAt !== null && { nextAttemptAt }),
  }
}
