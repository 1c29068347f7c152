import type { Attempt } from '@chorale/contract/webhooks'
import { sql } from 'kysely'
import { databaseMs, jsonb } from '../../database/app-db.ts'
import type { Db } from '../../database/db.ts'
import { type WebhookRow, webhookColumns } from './webhooks.sql.ts'

/** The place of a line, and until when it is in hand: whose lease ran out has lost it. */
export interface Lease {
  readonly appId: string
  readonly webhookId: string
  readonly line: string
  readonly leasedUntil: number
}

export interface Job extends Lease, WebhookRow {
  /** Null: nothing waits there any more. */
  readonly deliveryId: string | null
  readonly eventId: string
  readonly body: string
  readonly openedAt: number
  readonly tries: number
}

export interface Limits {
  readonly most: number
  readonly perWebhook: number
  readonly perApp: number
  readonly leaseMs: number
}

/** Asked often, and most often in vain. */
export async function isAnythingDue(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select from webhook_lines where due_at <= (select ${databaseMs})
    order by due_at limit 1`.execute(db)
  return rows.length > 0
}

/** One at a time, or two workers would count the same free places. */
export async function lockClaims(db: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('claim webhook deliveries', 0))`.execute(
    db,
  )
}

/**
 * Lines that are due, in turns: the first of every app, then the second of every app, and so on, as
 * far as its webhooks and the app itself have places left. So nobody who is slow holds up others.
 * `open` hops from webhook to webhook, however much waits for each.
 */
export async function claimLines(db: Db, limits: Limits): Promise<Job[]> {
  const { most, perWebhook, perApp, leaseMs } = limits
  const { rows } = await sql<Job>`
    with recursive moment as (select ${databaseMs} as now),
    open as (
      (select app_id, webhook_id from webhook_lines order by app_id, webhook_id limit 1)
      union all
      select n.app_id, n.webhook_id from open o cross join lateral (
        select s.app_id, s.webhook_id from webhook_lines s
        where (s.app_id, s.webhook_id) > (o.app_id, o.webhook_id)
        order by s.app_id, s.webhook_id limit 1) n
    ), counted as (
      select o.app_id, o.webhook_id, b.n as busy, sum(b.n) over (partition by o.app_id) as app_busy
      from open o cross join lateral (
        select count(*) as n from webhook_lines s
        where s.app_id = o.app_id and s.webhook_id = o.webhook_id and s.busy
          and s.due_at > (select now from moment)) b
    ), due as (
      select c.app_id, c.webhook_id, s.line, s.due_at, c.app_busy
        + row_number() over (partition by c.app_id order by s.due_at) as turn
      from counted c
      cross join lateral (
        select from webhooks w
        where w.app_id = c.app_id and w.webhook_id = c.webhook_id and w.enabled
          and w.resting_until <= (select now from moment) limit 1) w
      cross join lateral (
        select s.line, s.due_at from webhook_lines s
        where s.app_id = c.app_id and s.webhook_id = c.webhook_id
          and s.due_at <= (select now from moment)
        order by s.due_at limit greatest(0, ${perWebhook} - c.busy)
        for update skip locked) s
    ), chosen as (
      select * from due where turn <= ${perApp} order by turn, due_at limit ${most}
    ), claimed as (
      update webhook_lines s set busy = true, due_at = (select now from moment) + ${leaseMs}
      from chosen c
      where s.app_id = c.app_id and s.webhook_id = c.webhook_id and s.line = c.line
      returning s.app_id, s.webhook_id, s.line, s.due_at
    )
    select c.app_id as "appId", c.webhook_id as "webhookId", c.line, c.due_at as "leasedUntil",
           d.delivery_id as "deliveryId", d.event_id as "eventId", d.body,
           d.opened_at as "openedAt", d.tries, ${webhookColumns}
    from claimed c
    cross join lateral (
      select * from webhooks w
      where w.app_id = c.app_id and w.webhook_id = c.webhook_id limit 1) w
    left join lateral (
      select * from webhook_deliveries d
      where d.app_id = c.app_id and d.webhook_id = c.webhook_id and d.line = c.line
        and d.status = 'waiting' and d.created_at >= w.created_at
      order by d.place limit 1) d on true`.execute(db)
  return rows
}

/** False: the lease ran out, and somebody else has it in hand. */
export async function holdLine(db: Db, lease: Lease): Promise<boolean> {
  const { rows } = await sql`
    select from webhook_lines
    where app_id = ${lease.appId} and webhook_id = ${lease.webhookId} and line = ${lease.line}
      and busy and due_at = ${lease.leasedUntil}
    for update`.execute(db)
  return rows.length > 0
}

export async function releaseLine(db: Db, lease: Lease, afterMs: number): Promise<void> {
  await sql`
    update webhook_lines set busy = false, due_at = ${databaseMs} + ${afterMs}
    where app_id = ${lease.appId} and webhook_id = ${lease.webhookId} and line = ${lease.line}
  `.execute(db)
}

/** On to the next delivery, or the line goes. What waited for an earlier webhook of that id never will. */
export async function advanceLine(db: Db, lease: Lease & { createdAt: number }): Promise<void> {
  const { rows } = await sql`
    select from webhook_deliveries
    where app_id = ${lease.appId} and webhook_id = ${lease.webhookId} and line = ${lease.line}
      and status = 'waiting' and created_at >= ${lease.createdAt} limit 1`.execute(db)
  if (rows.length > 0) return releaseLine(db, lease, 0)
  await sql`
    delete from webhook_lines
    where app_id = ${lease.appId} and webhook_id = ${lease.webhookId} and line = ${lease.line}
  `.execute(db)
}

const mostAttempts = 20

export async function recordAttempt(
  db: Db,
  { appId, webhookId, deliveryId }: Job,
  attempt: Attempt,
  became: { readonly status: string; readonly nextAttemptAt: number | null },
): Promise<void> {
  await sql`
    update webhook_deliveries
    set status = ${became.status}, next_attempt_at = ${became.nextAttemptAt},
        tries = tries + 1, attempts = attempts + 1,
        log = case when jsonb_array_length(log) >= ${mostAttempts} then log - 0 else log end
          || ${jsonb([attempt])}
    where app_id = ${appId} and webhook_id = ${webhookId} and delivery_id = ${deliveryId}
  `.execute(db)
}

/** The whole webhook waits: its other lines would fare no better. */
export async function restWebhook(
  db: Db,
  { appId, webhookId }: Lease,
  restMs: number,
): Promise<void> {
  await sql`
    update webhooks set resting_until = ${databaseMs} + ${restMs}
    where app_id = ${appId} and webhook_id = ${webhookId}`.execute(db)
}

/** Its last delivery was taken. */
export async function noteSuccess(db: Db, { appId, webhookId }: Lease): Promise<void> {
  await sql`
    update webhooks set failing_since = null
    where app_id = ${appId} and webhook_id = ${webhookId} and failing_since is not null
  `.execute(db)
}

/** Since when it has been failing. */
export async function noteFailure(
  db: Db,
  { appId, webhookId }: Lease,
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
  { appId, webhookId }: Lease,
  now: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update webhooks set enabled = false, disabled_at = ${now}, updated_at = ${now}
    where app_id = ${appId} and webhook_id = ${webhookId} and enabled`.execute(db)
  return numAffectedRows === 1n
}
