import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import { findById } from '../../database/buckets.ts'
import type { EntryRef } from '../../outbox/events.ts'
import type { Trigger } from './decide.ts'

export function findPlaceOf({ appId, db }: AppDb, id: number): Promise<EntryRef | undefined> {
  return findById(id, async (here) => {
    const { rows } = await sql<EntryRef>`
      select e.bucket, e.conversation_key as key, e.seq, e.id from entries e
      where ${here} and e.id = ${id} and e.app_id = ${appId}`.execute(db)
    return rows[0]
  })
}

export interface DeliveryRow {
  readonly provider: string | null
  readonly providerId: string | null
  readonly pushToken: string | null
  readonly status: 'waiting' | 'sent' | 'failed' | 'withheld'
  readonly attempts: number
  /** The words of the provider, where it has said any. */
  readonly reason: string | null
  readonly dueAt: number
}

/** What was sent to a user of this, or is to be, or was kept from them; latest first. */
export async function findDeliveries(
  { appId, db }: AppDb,
  uid: string,
  messageId: number,
  trigger: Trigger,
): Promise<DeliveryRow[]> {
  const { rows } = await sql<DeliveryRow>`
    select provider, provider_id as "providerId", push_token as "pushToken", status,
      attempt as attempts, coalesce(response ->> 'reason', reason) as reason, due_at as "dueAt"
    from notification_deliveries
    where app_id = ${appId} and message_id = ${messageId} and uid = ${uid} and channel = 'push'
      and trigger = ${trigger}
    order by delivery_id desc limit 50`.execute(db)
  return rows
}
