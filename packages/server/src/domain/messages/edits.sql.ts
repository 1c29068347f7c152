import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import type { EntryRow } from '../log/entries/index.ts'
import { within } from './history/windows.sql.ts'
import type { Place } from './history/windows.ts'

export interface EditRow {
  readonly id: number
  readonly data: Record<string, unknown>
  readonly editedAt: number
}

/** Keeps what a message says, before it is edited. */
export async function insertEdit(
  { appId, db }: AppDb,
  { bucket, key, seq }: EntryRow,
  now: number,
): Promise<void> {
  await sql`
    insert into entry_edits (bucket, conversation_key, seq, edited_at, data, app_id)
    select bucket, conversation_key, seq, ${now}, data, app_id from entries
    where bucket = ${bucket} and conversation_key = ${key} and seq = ${seq}
      and app_id = ${appId}`.execute(db)
}

/** In what a message said before. `rename` gets JSON text. */
export async function renameInEdits(
  { appId, db }: AppDb,
  { bucket, key, seq }: EntryRow,
  rename: (data: string) => string,
): Promise<void> {
  const edits = sql`bucket = ${bucket} and conversation_key = ${key} and seq = ${seq}
    and app_id = ${appId}`
  const { rows } = await sql<{ nth: number; data: string }>`
    select nth, data::text from entry_edits where ${edits}`.execute(db)
  for (const { nth, data } of rows) {
    await sql`update entry_edits set data = ${rename(data)}::json
      where ${edits} and nth = ${nth}`.execute(db)
  }
}

export async function listEdits(
  { appId, db }: AppDb,
  { bucket, key, seq }: EntryRow,
  place: Place,
): Promise<EditRow[]> {
  const window = within(sql`nth`, place)
  const { rows } = await sql<EditRow>`
    select nth as id, data, edited_at as "editedAt" from entry_edits
    where bucket = ${bucket} and conversation_key = ${key} and seq = ${seq} and app_id = ${appId}
      and ${window.is} ${window.walk}`.execute(db)
  return rows
}
