import { sql } from 'kysely'
import { bucketOf } from '../../../server/src/database/buckets.ts'
import type { Db } from '../../../server/src/database/db.ts'
import type { ConversationKey } from '../../../server/src/domain/log/entries/entries.ts'
import type { NewEntry } from '../../../server/src/domain/log/log.sql.ts'

/** A plain message, before there is an operation that sends one. */
export function messageOf(
  place: ConversationKey & { readonly appId: string },
  sender: string,
  more: Partial<NewEntry> = {},
): NewEntry {
  const { appId, bucket, key } = place
  return {
    appId,
    bucket,
    key,
    sender,
    category: 'message',
    type: 'text',
    data: '{"text":"hello"}',
    counts: true,
    shows: true,
    ...more,
  }
}

export interface StoredEntry {
  readonly seq: number
  readonly id: number
  readonly counted: number
  readonly sender: string
  readonly muid: string | null
  readonly category: string
  readonly counts: boolean
  readonly data: Readonly<Record<string, unknown>>
}

/** The whole log of a conversation, in its order. */
export async function logOf(db: Db, { bucket, key }: ConversationKey): Promise<StoredEntry[]> {
  const { rows } = await sql<StoredEntry>`
    select seq, id, counted, sender, muid, category, counts, data from entries
    where bucket = ${bucket} and conversation_key = ${key} order by seq`.execute(db)
  return rows
}

/** What is wrong with the places in a log; empty: seq is dense and id grows with it. */
export function disorderIn(log: readonly StoredEntry[], bucket: number): string[] {
  return log.flatMap(({ seq, id, counted, counts }, place) => {
    const before = log[place - 1]
    const expected = (before?.counted ?? 0) + (counts ? 1 : 0)
    return [
      ...(seq === place + 1 ? [] : [`seq ${seq} is at place ${place + 1}`]),
      ...(id > (before?.id ?? 0) ? [] : [`id ${id} of seq ${seq} does not grow`]),
      ...(bucketOf(id) === bucket ? [] : [`id ${id} does not name bucket ${bucket}`]),
      ...(counted === expected ? [] : [`seq ${seq} counted ${counted}, not ${expected}`]),
    ]
  })
}

/** Deadlocks since the database was made: one that was tried again went unseen otherwise. */
export async function deadlocksIn(db: Db): Promise<number> {
  const { rows } = await sql<{ deadlocks: number }>`
    select deadlocks from pg_stat_database where datname = current_database()`.execute(db)
  return rows[0]?.deadlocks ?? 0
}
