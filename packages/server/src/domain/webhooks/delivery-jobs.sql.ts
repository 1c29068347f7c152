import type { Attempt } from '@chorale/contract/webhooks'
import { sql } from 'kysely'
import { databaseMs, jsonb } from '../../database/app-db.ts'
import type { Db } from '../../database/db.ts'
import { defineQueue, dueAgain, type Job } from '../../jobs/queue.sql.ts'
import { type WebhookRow, webhookColumns } from './webhooks.sql.ts'

/** The first delivery of an ordering key; the job is the key. */
export interface DeliveryJob extends Job, WebhookRow {
  readonly webhookId: string
  readonly line: string
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
  table: 'webhook_lines',
  key: { app_id: 'appId', webhook_id: 'webhookId', line: 'line' },
  open: 'true',
  group: ['app_id', 'webhook_id'],
  ready: `
    cross join lateral (
      select from webhooks w
      where w.app_id = g.app_id and w.webhook_id = g.webhook_id and w.enabled
        and w.resting_until <= (select now from moment) limit 1) w`,
  columns: `
    j.webhook_id as "webhookId", j.line, d.delivery_id as "deliveryId", d.event_id as "eventId",
    d.body, d.tries, m.now - d.opened_at * 1000 as "elapsedMs", ${webhookColumns}`,
  joins: `
    cross join lateral (
      select * from webhooks w
      where w.app_id = j.app_id and w.webhook_id = j.webhook_id limit 1) w
    left join lateral (
      select * from webhook_deliveries d
      where d.app_id = j.app_id and d.webhook_id = j.webhook_id and d.line = j.line
        and d.status = 'waiting' and d.created_at >= w.created_at
      order by d.place limit 1) d on true`,
})

type Line = Pick<DeliveryJob, 'appId' | 'webhookId' | 'line'>

/** False: the lease is lost. */
export async function holdLine(db: Db, job: DeliveryJob): Promise<boolean> {
  const { rows } = await sql`
    select from webhook_lines where ${deliveryQueue.held(job)} for update`.execute(db)
  return rows.length > 0
}

export async function releaseLine(db: Db, line: Line, afterMs: number): Promise<void> {
  await sql`
    update webhook_lines set attempt = 0, ${dueAgain(afterMs)}
    where app_id = ${line.appId} and webhook_id = ${line.webhookId} and line = ${line.line}
  `.execute(db)
}

/** On to the next delivery, or the line goes. What waited for an earlier webhook of that id never will. */
export async function advanceLine(db: Db, line: Line & { createdAt: number }): Promise<void> {
  const { rows } = await sql`
    select from webhook_deliveries
    where app_id = ${line.appId} and webhook_id = ${line.webhookId} and line = ${line.line}
      and status = 'waiting' and created_at >= ${line.createdAt} limit 1`.execute(db)
  if (rows.length > 0) return releaseLine(db, line, 0)
  await sql`
    delete from webhook_lines
    where app_id = ${line.appId} and webhook_id = ${line.webhookId} and line = ${line.line}
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

/** The whole webhook waits: its other lines would fare no better. */
export async function restWebhook(
  db: Db,
  { appId, webhookId }: Line,
  restMs: number,
): Promise<void> {
  await sql`
    update webhooks set resting_until = ${databaseMs} + ${restMs}
    where app_id = ${appId} and webhook_id = ${webhookId}`.execute(db)
}

/** Its last delivery was taken. */
export async function noteSuccess(db: Db, { appId, webhookId }: Line): Promise<void> {
  await sql`
    update webhooks set failing_since = null
    where app_id = ${appId} and webhook_id = ${webhookId} and failing_since is not null
  `.execute(db)
}

/** Since when it has been failing. */
export async function noteFailure(
  db: Db,
  { appId, webhookId }: Line,
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
  { appId, webhookId }: Line,
  now: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update webhooks set enabled = false, disabled_at = ${now}, updated_at = ${now}
    where app_id = ${appId} and webhook_id = ${webhookId} and enabled`.execute(db)
  return numAffectedRows === 1n
}
