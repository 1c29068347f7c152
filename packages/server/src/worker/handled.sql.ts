import { sql } from 'kysely'
import type { AppDb } from '../database/app-db.ts'
import type { Db } from '../database/db.ts'

/** False: this listener has handled the event before. */
export async function markHandled(
  { appId, db }: AppDb,
  listener: string,
  eventId: string,
  now: number,
): Promise<boolean> {
  const { rows } = await sql`
    insert into handled_events (app_id, listener, event_id, handled_at)
    values (${appId}, ${listener}, ${eventId}, ${now})
    on conflict do nothing returning true`.execute(db)
  return rows.length > 0
}

/** The oldest, a bounded number at a time. Returns how many went. */
export async function forgetHandled(db: Db, before: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from handled_events where (app_id, listener, event_id) in (
      select app_id, listener, event_id from handled_events
      where handled_at < ${before} order by handled_at limit 1000)`.execute(db)
  return Number(numAffectedRows ?? 0)
}
