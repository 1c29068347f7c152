import { sql } from 'kysely'
import type { AppDb } from '../../../database/app-db.ts'
import { bigints } from '../../../database/arrays.ts'
import type { ConversationKey } from '../../../outbox/committed.ts'
import type { EntryRow } from '../../log/entries/index.ts'

/** What people left on a message, and what it said before. */
const traces = [
  'entry_edits',
  'threads',
  'thread_subscriptions',
  'reactions',
  'interactions',
  'pins',
  'saves',
] as const

/** Of a message that is deleted for ever. */
export async function deleteTraces(
  { appId, db }: AppDb,
  { bucket, key, seq }: EntryRow,
): Promise<void> {
  await deleteTracesOf({ appId, db }, { bucket, key }, [seq])
}

/** Of messages of a conversation. */
export async function deleteTracesOf(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  seqs: readonly number[],
): Promise<void> {
  for (const table of traces) {
    await sql`
      delete from ${sql.table(table)}
      where bucket = ${bucket} and conversation_key = ${key} and seq = any(${bigints(seqs)}::bigint[])
        and app_id = ${appId}`.execute(db)
  }
}

/** A step of forgetting a conversation that is gone. True: there may be more. */
export async function eraseTraces(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  most: number,
): Promise<boolean> {
  const here = sql`bucket = ${bucket} and conversation_key = ${key} and app_id = ${appId}`
  let more = false
  for (const table of traces) {
    // A bucket lies in one partition, so a ctid names one row.
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where ${here} and ctid = any(array(
        select ctid from ${sql.table(table)} where ${here} limit ${most}))`.execute(db)
    more ||= Number(numAffectedRows) === most
  }
  return more
}
