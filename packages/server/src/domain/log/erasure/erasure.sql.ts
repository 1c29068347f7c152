import { sql } from 'kysely'
import { type AppDb, jsonb } from '../../../database/app-db.ts'
import type { ConversationKey, EntryRow, Extra } from '../entries/entries.ts'
import { type Changed, change } from '../entries/entry-changes.sql.ts'

/** Nothing of what it said is left, nor who said it: `sender` stands for them. */
export async function eraseEntry(
  db: AppDb,
  entry: Changed,
  to: { readonly sender: string; readonly extra: Extra },
  now: number,
): Promise<void> {
  const erased = sql`
    sender = ${to.sender}, muid = null, data = '{}', extra = ${jsonb(to.extra)}, verdict = null,
    erased = true, deleted_at = coalesce(e.deleted_at, ${now})`
  await change(db, entry, erased, now)
}

/** It says the same of somebody with another name. */
export async function renameInEntry(
  db: AppDb,
  entry: Changed,
  to: Pick<EntryRow, 'sender' | 'data' | 'extra'> & { readonly verdict: string | null },
  now: number,
): Promise<void> {
  const renamed = sql`
    sender = ${to.sender}, data = ${to.data}::json, extra = ${jsonb(to.extra ?? undefined)},
    verdict = ${to.verdict}::jsonb`
  await change(db, entry, renamed, now)
}

/** A step of erasing a conversation that is gone: its oldest entries. True: there may be more. */
export async function eraseEntries(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  most: number,
): Promise<boolean> {
  const here = sql`bucket = ${bucket} and conversation_key = ${key} and app_id = ${appId}`
  const entries = await sql`
    delete from entries where ${here} and seq <= (
      select max(seq) from (select seq from entries where ${here} order by seq limit ${most}) e)
  `.execute(db)
  const moves = await sql`
    delete from position_moves where ${here} and (uid, kind, seq) in (
      select uid, kind, seq from position_moves where ${here} limit ${most})`.execute(db)
  return [entries, moves].some(({ numAffectedRows = 0n }) => Number(numAffectedRows) === most)
}
