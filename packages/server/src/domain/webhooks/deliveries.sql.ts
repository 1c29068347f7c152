import type { Attempt, DeliveryStatus } from '@chorale/contract/webhooks'
import { sql } from 'kysely'
import { type AppDb, allOf } from '../../database/app-db.ts'

export interface DeliveryRow {
  readonly id: string
  readonly eventId: string
  readonly trigger: string
  readonly orderingKey: string
  readonly status: DeliveryStatus
  readonly attempts: number
  readonly nextAttemptAt: number | null
  readonly createdAt: number
}

const columns = sql`
  d.delivery_id as id, d.event_id as "eventId", d.trigger,
  d.ordering_key as "orderingKey", d.status, d.attempts,
  d.next_attempt_at as "nextAttemptAt", d.created_at as "createdAt"`

/** A webhook, and since when it is there: an earlier one may have had the same id. */
export interface Since {
  readonly id: string
  readonly createdAt: number
}

interface DeliveryFilter {
  readonly status?: DeliveryStatus
  readonly trigger?: string
  readonly createdFrom?: number
  readonly createdTo?: number
  readonly before?: string
  readonly after?: string
}

function matching(appId: string, of: Since, filter: DeliveryFilter) {
  const { status, trigger, createdFrom, createdTo, before, after } = filter
  return allOf([
    sql`d.app_id = ${appId} and d.webhook_id = ${of.id} and d.created_at >= ${of.createdAt}`,
    // As a constant, so that the planner sees the index of what failed.
    status && sql`d.status = ${sql.lit(status)}`,
    trigger === undefined ? undefined : sql`d.trigger = ${trigger}`,
    createdFrom === undefined ? undefined : sql`d.created_at >= ${createdFrom}`,
    createdTo === undefined ? undefined : sql`d.created_at <= ${createdTo}`,
    before === undefined ? undefined : sql`d.delivery_id < ${before}`,
    after === undefined ? undefined : sql`d.delivery_id > ${after}`,
  ])
}

/** Newest first. */
export async function listDeliveries(
  { appId, db }: AppDb,
  of: Since,
  filter: DeliveryFilter & { readonly limit: number },
): Promise<DeliveryRow[]> {
  const { rows } = await sql<DeliveryRow>`
    select ${columns} from webhook_deliveries d where ${matching(appId, of, filter)}
    order by d.delivery_id desc limit ${filter.limit}`.execute(db)
  return rows
}

export interface WholeDeliveryRow extends DeliveryRow {
  readonly body: string
  readonly log: Attempt[]
}

export async function findDelivery(
  { appId, db }: AppDb,
  of: Since,
  id: string,
): Promise<WholeDeliveryRow | undefined> {
  const { rows } = await sql<WholeDeliveryRow>`
    select ${columns}, d.body, d.log from webhook_deliveries d
    where ${matching(appId, of, {})} and d.delivery_id = ${id}`.execute(db)
  return rows[0]
}

/** Oldest first: those that are tried no more. */
export async function findEnded(
  { appId, db }: AppDb,
  of: Since,
  filter: DeliveryFilter & { readonly status: DeliveryStatus },
  most: number,
): Promise<DeliveryRow[]> {
  const { rows } = await sql<DeliveryRow>`
    select ${columns} from webhook_deliveries d where ${matching(appId, of, filter)}
    order by d.delivery_id limit ${most}`.execute(db)
  return rows
}

/** Those that had ended are tried anew. */
export async function reopen(
  { appId, db }: AppDb,
  webhookId: string,
  ids: readonly string[],
  now: number,
): Promise<void> {
  await sql`
    update webhook_deliveries
    set status = 'waiting', opened_at = ${now}, tries = 0, next_attempt_at = ${now}
    where app_id = ${appId} and webhook_id = ${webhookId} and delivery_id = any(${ids}::uuid[])
      and status <> 'waiting'`.execute(db)
}
