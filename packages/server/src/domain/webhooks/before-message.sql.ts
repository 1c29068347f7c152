import { sql } from 'kysely'
import type { Db } from '../../database/db.ts'
import { type WebhookRow, webhookColumns } from './webhooks.sql.ts'

export interface Gate extends WebhookRow {
  readonly appId: string
  readonly region: string
}

/** An index has these alone. One list for each app. */
export async function findGates(db: Db, appIds: readonly string[]): Promise<Gate[][]> {
  const { rows } = await sql<Gate>`
    select w.app_id as "appId", a.region, ${sql.raw(webhookColumns)}
    from webhooks w join apps a using (app_id)
    where w.app_id = any(${appIds}) and w.enabled and w.version = 1 and w.triggers @> '{before_message}'
    order by w.app_id, w.webhook_id`.execute(db)
  const byApp = Map.groupBy(rows, ({ appId }) => appId)
  return appIds.map((appId) => byApp.get(appId) ?? [])
}
