import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import { texts } from '../../database/arrays.ts'
import type { Db } from '../../database/db.ts'
import { prepared, run } from '../../database/prepared.ts'

/** What one webhook wants to hear of. */
export interface Subscription {
  readonly id: string
  readonly version: number
  readonly triggers: readonly string[]
  readonly region: string
  /** Of a message that was edited or deleted, whether the app wants the message or the action. */
  readonly changedMessageItself: boolean
}

/** What had happened before it was there is not delivered. */
export async function findSubscriptions(
  { appId, db }: AppDb,
  happenedAt: number,
): Promise<Subscription[]> {
  const { rows } = await sql<Subscription>`
    select w.webhook_id as id, w.version, w.triggers, a.region,
      coalesce(s.value = 'true', false) as "changedMessageItself"
    from webhooks w join apps a using (app_id)
    left join app_settings s on s.app_id = w.app_id and s.key = 'webhooks.changedMessageItself'
    where w.app_id = ${appId} and w.enabled and w.created_at <= ${happenedAt}
    order by w.webhook_id`.execute(db)
  return rows
}

const listening = prepared<{ appId: string }>(
  'apps with webhooks',
  `select a.app_id as "appId" from unnest($1::text[]) as a(app_id)
   where exists (select from webhooks w where w.app_id = a.app_id and w.enabled)`,
)

/** Of these apps, those with a webhook that is switched on. */
export async function appsWithWebhooks(
  db: Db,
  appIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await run(db, listening, [texts(appIds)])
  return new Set(rows.map(({ appId }) => appId))
}
