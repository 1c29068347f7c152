import { sql } from 'kysely'
import type { Db } from '../database/db.ts'

/** Where events are rows: those of changes, and the markers of appended batches. */
const eventTables = ['outbox', 'append_receipts']

/** From now on no event can be stored in this database; what is returned ends that. */
export async function refuseEvents(db: Db): Promise<() => Promise<void>> {
  await sql`
    create or replace function refuse_event() returns trigger language plpgsql as $$
    begin
      raise exception 'events are refused';
    end $$`.execute(db)
  for (const table of eventTables) {
    await sql`
      create trigger refused before insert on ${sql.table(table)}
      for each statement execute function refuse_event()`.execute(db)
  }
  return async () => {
    for (const table of eventTables)
      await sql`drop trigger refused on ${sql.table(table)}`.execute(db)
  }
}
