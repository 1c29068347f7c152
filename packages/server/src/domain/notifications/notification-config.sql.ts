import type { Region } from '@chorale/contract/apps'
import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import { texts } from '../../database/arrays.ts'
import type { Db } from '../../database/db.ts'
import { prepared, run } from '../../database/prepared.ts'

const thatNotify = prepared<{ readonly appId: string }>(
  'notifications-apps-that-notify',
  `select a.app_id as "appId" from unnest($1::text[]) as a(app_id)
   where exists (select from notification_providers p where p.app_id = a.app_id)
      or exists (select from push_settings s where s.app_id = a.app_id)`,
)

/** Which of these apps can send anything at all. */
export async function appsThatNotify(
  db: Db,
  appIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await run(db, thatNotify, [texts(appIds)])
  return new Set(rows.map(({ appId }) => appId))
}

export interface NotificationConfigRow {
  readonly region: Region
  readonly skipsOnline: boolean | null
  readonly tellsBulk: boolean | null
  /** Kinds of push provider that are there and switched on. */
  readonly pushKinds: readonly string[]
  readonly logEnabledAt: number | null
}

export async function findNotificationConfig({
  appId,
  db,
}: AppDb): Promise<NotificationConfigRow | undefined> {
  const { rows } = await sql<NotificationConfigRow>`
    select a.region,
      (select value::boolean from app_settings s
       where s.app_id = a.app_id and s.key = 'notifications.skipOnlineUsers') as "skipsOnline",
      (select value::boolean from app_settings s
       where s.app_id = a.app_id and s.key = 'notifications.bulkMemberChanges') as "tellsBulk",
      array(select distinct p.kind::text from notification_providers p
        where p.app_id = a.app_id and p.channel = 'push' and p.is_enabled) as "pushKinds",
      (select enabled_at from notification_log_switches l where l.app_id = a.app_id) as "logEnabledAt"
    from apps a where a.app_id = ${appId}`.execute(db)
  return rows[0]
}
