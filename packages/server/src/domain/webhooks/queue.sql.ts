import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { type AppDb, databaseMs } from '../../database/app-db.ts'
import type { Db } from '../../database/db.ts'
import { traceparentOf } from '../../tracing/trace-context.ts'
import { currentTrace } from '../../tracing/tracer.ts'

export interface NewDelivery {
  readonly webhookId: string
  readonly eventId: string
  readonly trigger: string
  readonly orderingKey: string
  readonly body: string
}

/** A delivery that exists already is passed over. Returns the ids of what was new. */
export async function enqueue(
  { appId, db }: AppDb,
  fresh: readonly NewDelivery[],
  now: number,
): Promise<string[]> {
  if (fresh.length === 0) return []
  const trace = currentTrace()
  const { rows } = await sql<{ id: string; webhookId: string; orderingKey: string }>`
    insert into webhook_deliveries (app_id, webhook_id, delivery_id, event_id, trigger,
                                    ordering_key, body, opened_at, next_attempt_at, created_at,
                                    trace)
    select ${appId}, n.webhook_id, n.delivery_id, n.event_id, n.trigger, n.ordering_key, n.body,
           ${now}, ${now}, ${now}, ${trace ? traceparentOf(trace) : null}
    from unnest(${fresh.map(({ webhookId }) => webhookId)}::text[],
                ${fresh.map(() => uuidv7())}::uuid[],
                ${fresh.map(({ eventId }) => eventId)}::text[],
                ${fresh.map(({ trigger }) => trigger)}::text[],
                ${fresh.map(({ orderingKey }) => orderingKey)}::text[],
                ${fresh.map(({ body }) => body)}::text[])
      with ordinality as n(webhook_id, delivery_id, event_id, trigger, ordering_key, body, nth)
    order by n.nth
    on conflict (app_id, webhook_id, event_id) do nothing
    returning delivery_id as id, webhook_id as "webhookId",
              ordering_key as "orderingKey"`.execute(db)
  await openOrderingKeys({ appId, db }, rows)
  return rows.map(({ id }) => id)
}

/**
 * Something waits there; `now`: and not for the next retry. Holds the rows to the end of the transaction, in one order, so that nobody
 * deletes one meanwhile.
 */
export async function openOrderingKeys(
  { appId, db }: AppDb,
  keys: readonly { readonly webhookId: string; readonly orderingKey: string }[],
  when: 'in turn' | 'now' = 'in turn',
): Promise<void> {
  const due =
    when === 'now'
      ? sql`case when s.leased_until is null then ${databaseMs} else s.due_at end`
      : sql`s.due_at`
  await sql`
    insert into webhook_ordering_keys as s (app_id, webhook_id, ordering_key, due_at)
    select distinct on (n.webhook_id, n.ordering_key) ${appId}, n.webhook_id, n.ordering_key, ${databaseMs}
    from unnest(${keys.map(({ webhookId }) => webhookId)}::text[],
                ${keys.map(({ orderingKey }) => orderingKey)}::text[]) as n(webhook_id, ordering_key)
    order by n.webhook_id, n.ordering_key
    on conflict (app_id, webhook_id, ordering_key) do update set due_at = ${due}`.execute(db)
}

/** The oldest, a bounded number at a time. Returns how many went. */
export async function deleteOldDeliveries(db: Db, before: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from webhook_deliveries where (app_id, webhook_id, delivery_id) in (
      select app_id, webhook_id, delivery_id from webhook_deliveries
      where created_at < ${before} order by created_at limit 1000)`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Of webhooks that were deleted. */
export async function deleteOldOrderingKeys(db: Db): Promise<void> {
  await sql`
    delete from webhook_ordering_keys s where not exists (
      select from webhooks w where w.app_id = s.app_id and w.webhook_id = s.webhook_id)`.execute(db)
}
