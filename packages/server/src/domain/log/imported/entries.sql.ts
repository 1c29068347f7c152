import { sql } from 'kysely'
import type { AppDb } from '../../../database/app-db.ts'
import type { ConversationKey, EntryRow } from '../entries/entries.ts'
import { entryColumns } from '../log.sql.ts'

/** The stored entries of these places, by id. */
export async function findEntriesAt(
  { appId, db }: AppDb,
  places: readonly (ConversationKey & { readonly seq: number })[],
): Promise<Map<number, EntryRow>> {
  if (places.length === 0) return new Map()
  // Lateral with a limit: a probe of the index for each, however large the tables are.
  const { rows } = await sql<EntryRow>`
    select ${entryColumns}
    from unnest(${places.map(({ bucket }) => bucket)}::smallint[],
                ${places.map(({ key }) => key)}::bigint[],
                ${places.map(({ seq }) => seq)}::bigint[]) as w(bucket, key, seq)
    cross join lateral (
      select * from entries e
      where e.bucket = w.bucket and e.conversation_key = w.key and e.seq = w.seq limit 1) e
    where e.app_id = ${appId}`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}
