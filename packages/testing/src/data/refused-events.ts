import { sql } from 'kysely'
import type { Db } from '../../../server/src/database/db.ts'

/** Where events are rows: those of changes, and the markers of appended batches. */
const eventTables = ['outbox', 'append_receipts']

interface Refusal {
  /** How many statements were refused. */
  count(): Promise<number>
  /** From now on events are stored again. */
  end(): Promise<void>
}

/** From now on no event can be stored in this database. */
export async function refuseEvents(db: Db): Promise<Refusal> {
  // A sequence counts also in a transaction that is rolled back.
  await sql`create sequence if not exists refused_events minvalue 0`.execute(db)
  await sql`
    create or replace function refuse_event() returns trigger language plpgsql as $$
    begin
      perform nextval('refused_events');
      raise exception 'events are refused';
    end $$`.execute(db)
  for (const table of eventTables) {
    await sql`
      create trigger refused before insert on ${sql.table(table)}
      for each statement execute function refuse_event()`.execute(db)
  }
  return {
    async count() {
      const { rows } = await sql<{ n: number }>`
        select last_value + is_called::int as n from refused_events`.execute(db)
      return rows[0]?.n ?? 0
    },
    async end() {
      for (const table of eventTables) {
        await sql`drop trigger refused on ${sql.table(table)}`.execute(db)
      }
    },
  }
}
