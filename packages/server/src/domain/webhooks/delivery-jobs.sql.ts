import type { Attempt } from '@chorale/contract/webhooks'
import { sql } from 'kysely'
import { databaseMs, jsonb } from '../../database/app-db.ts'
import type { Db } from '../../database/db.ts'
import { defineQueue, dueAgain, type Job } from '../../jobs/queue.sql.ts'
import { type WebhookRow, webhookColumns } from './webhooks.sql.ts'

/** The first delivery of an ordering key; the job is the key. */
export interface DeliveryJob extends Job, WebhookRow {
  readonly webhookId: string
  readonly orderingKey: string
  /** Null: nothing waits there any more. */
  readonly deliveryId: string | null
  readonly eventId: string
  readonly body: string
  readonly tries: number
  /** Since it was first due, or was asked for again. */
  readonly elapsedMs: number
}

export const deliveryQueue = defineQueue<DeliveryJob>({
  name: 'webhook deliveries',
  table: 'webhook_ordering_keys',
  key: { app_id: 'appId', webhook_id: 'webhookId', ordering_key: 'orderingKey' },
  open: 'true',
  behind: `webhook_deliveries where status = 'waiting'`,
  group: ['app_id', 'webhook_id'],
  ready: `
    cross join lateral (
      select from webhooks w
      where w.app_id = g.app_id and w.webhook_id = g.webhook_id and w.enabled
        and w.resting_until <= (select now from moment) limit 1) w`,
  columns: `
    j.webhook_id as "webhookId", j.ordering_key as "orderingKey",
    d.delivery_id as "deliveryId", d.event_id as "eventId", d.body, d.tries, d.trace,
    m.now - d.opened_at * 1000 as "elapsedMs", ${webhookColumns}`,
  joins: `
    cross join lateral (
      select * from webhooks w
      where w.app_id = j.app_id and w.webhook_id = j.webhook_id limit 1) w
    left join lateral (
      select * from webhook_deliveries d
      where d.app_id = j.app_id and d.webhook_id = j.webhook_id and d.ordering_key = j.ordering_key
        and d.status = 'waiting' and d.created_at >= w.created_at
      order by d.place limit 1) d on true`,
})

type OrderingKey = Pick<DeliveryJob, 'appId' | 'webhookId' | 'orderingKey'>

/** False: the lease is lost. */
export async function holdOrderingKey(db: Db, job: DeliveryJob): Promise<boolean> {
  const { rows } = await sql`
    select from webhook_ordering_keys where ${deliveryQueue.held(job)} for update`.execute(db)
  return rows.length > 0
}

export async function releaseOrderingKey(db: Db, of: OrderingKey, afterMs: number): Promise<void> {
  await sql`
    update webhook_ordering_keys set attempt = 0, ${dueAgain(afterMs)}
    where app_id = ${of.appId} and webhook_id = ${of.webhookId} and ordering_key = ${of.orderingKey}
  `.execute(db)
}

/** On to the next delivery, or the row goes. What waited for an earlier webhook of that id never will. */
export async function advanceOrderingKey(
  db: Db,
  of: OrderingKey & { createdAt: number },
): Promise<void> {
  const { rows } = await sql`
    select from webhook_deliveries
    where app_id = ${of.appId} and webhook_id = ${of.webhookId} and ordering_key = ${of.orderingKey}
      and status = 'waiting' and created_at >= ${of.createdAt} limit 1`.execute(db)
  if (rows.length > 0) return releaseOrderingKey(db, of, 0)
  await sql`
    delete from webhook_ordering_keys
    where app_id = ${of.appId} and webhook_id = ${of.webhookId} and ordering_key = ${of.orderingKey}
  `.execute(db)
}

const maxAttempts = 20

export async function recordAttempt(
  db: Db,
  { appId, webhookId, deliveryId }: DeliveryJob,
  attempt: Attempt,
  became: { readonly status: string; readonly nextAttemptAt: number | null },
): Promise<void> {
  await sql`
    update webhook_deliveries
    set status = ${became.status}, next_attempt_at = ${became.nextAttemptAt},
        tries = tries + 1, attempts = attempts + 1,
        log = case when jsonb_array_length(log) >= ${maxAttempts} then log - 0 else log end
          || ${jsonb([attempt])}
    where app_id = ${appId} and webhook_id = ${webhookId} and delivery_id = ${deliveryId}
  `.execute(db)
}

/** The whole webhook waits: deliveries of its other ordering keys would fail as well. */
export async function restWebhook(
  db: Db,
  { appId, webhookId }: OrderingKey,
  restMs: number,
): Promise<void> {
  await sql`
    update webhooks set resting_until = ${databaseMs} + ${restMs}
    where app_id = ${appId} and webhook_id = ${webhookId}`.execute(db)
}

/** Its last delivery was taken. */
export async function noteSuccess(db: Db, { appId, webhookId }: OrderingKey): Promise<void> {
  await sql`
    update webhooks set failing_since = null
    where app_id = ${appId} and webhook_id = ${webhookId} and failing_since is not null
  `.execute(db)
}

/** Since when it has been failing. */
export async function noteFailure(
  db: Db,
  { appId, webhookId }: OrderingKey,
  now: number,
): Promise<number> {
  const { rows } = await sql<{ since: number }>`
    update webhooks set failing_since = ${now}
    where app_id = ${appId} and webhook_id = ${webhookId} and failing_since is null
    returning failing_since as since`.execute(db)
  return rows[0]?.since ?? now
}

/** False: it is switched off already. */
export async function disableWebhook(
  db: Db,
  { appId, webhookId }: OrderingKey,
  now: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update webhooks set enabled = false, disabled_at = ${now}, updated_at = ${now}
    where app_id = ${appId} and webhook_id = ${webhookId} and enabled`.execute(db)
  return numAffectedRows === 1n
}
