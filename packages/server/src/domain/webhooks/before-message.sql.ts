import { sql } from 'kysely'
import type { Db } from '../../database/db.ts'
import { type WebhookRow, webhookColumns } from './webhooks.sql.ts'

export interface Gate extends WebhookRow {
  readonly appId: string
  readonly region: string
}

/** In the whole install, and there are few: an index has these alone. */
export async function findGates(db: Db): Promise<Gate[]> {
  const { rows } = await sql<Gate>`
    select w.app_id as "appId", a.region, ${sql.raw(webhookColumns)}
    from webhooks w join apps a using (app_id)
    where w.enabled and w.version = 1 and w.triggers @> '{before_message}'
    order by w.app_id, w.webhook_id`.execute(db)
  return rows
}
