import { sql } from 'kysely'
import type { AppDb } from '../../../database/app-db.ts'

/** When each was enabled; one that is not there is disabled. */
export async function enabledExtensions({ appId, db }: AppDb): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; enabledAt: number }>`
    select extension_id as id, enabled_at as "enabledAt"
    from extensions where app_id = ${appId}`.execute(db)
  return new Map(rows.map(({ id, enabledAt }) => [id, enabledAt]))
}

export async function enableExtensions(
  { appId, db }: AppDb,
  ids: readonly string[],
  now: number,
): Promise<void> {
  await sql`
    insert into extensions (app_id, extension_id, enabled_at)
    select ${appId}, id, ${now} from unnest(${ids}::text[]) id order by id
    on conflict do nothing`.execute(db)
}

export async function disableExtensions({ appId, db }: AppDb, ids: readonly string[]) {
  await sql`
    delete from extensions where app_id = ${appId} and extension_id = any(${ids})`.execute(db)
}
