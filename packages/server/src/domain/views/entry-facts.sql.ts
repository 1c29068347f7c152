import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import type { EntryRef } from '../../outbox/events.ts'
import type { EntryRow } from '../log/entries/index.ts'
import { entryColumns } from '../log/index.ts'

/** How many replies each of these has, by id. */
export async function countReplies(
  { appId, db }: AppDb,
  parents: readonly EntryRef[],
): Promise<Map<number, number>> {
  if (parents.length === 0) return new Map()
  const { rows } = await sql<{ id: number; replies: number }>`
    select w.id, t.replies from ${unnested(parents)}
    join threads t on t.bucket = w.bucket and t.conversation_key = w.key and t.seq = w.seq
    where t.app_id = ${appId}`.execute(db)
  return new Map(rows.map(({ id, replies }) => [id, replies]))
}

/** With what the viewer reacted to each of these, by id. */
export async function findOwnReactions(
  { appId, db }: AppDb,
  entries: readonly EntryRef[],
  viewer: string | undefined,
): Promise<Map<number, string[]>> {
  if (entries.length === 0 || viewer === undefined) return new Map()
  const { rows } = await sql<{ id: number; reactions: string[] }>`
    select w.id, array_agg(r.reaction) as reactions from ${unnested(entries)}
    join reactions r on r.bucket = w.bucket and r.conversation_key = w.key and r.seq = w.seq
      and r.uid = ${viewer}
    where r.app_id = ${appId} group by w.id`.execute(db)
  return new Map(rows.map(({ id, reactions }) => [id, reactions]))
}

/** Other messages that these speak of, by id. What was deleted for ever is not there. */
export async function findReferred(
  { appId, db }: AppDb,
  wanted: readonly { readonly id: number; readonly bucket: number }[],
): Promise<EntryRow[]> {
  const buckets = wanted.map(({ bucket }) => bucket)
  // Named twice, so that no other partition is planned for.
  const { rows } = await sql<EntryRow>`
    select ${entryColumns}
    from unnest(${wanted.map(({ id }) => id)}::bigint[], ${buckets}::smallint[]) as w(id, bucket)
    join entries e on e.app_id = ${appId} and e.id = w.id and e.bucket = w.bucket
    where not e.erased and e.bucket = any(${buckets}::smallint[])`.execute(db)
  return rows
}

function unnested(entries: readonly EntryRef[]) {
  return sql`
    unnest(${entries.map(({ id }) => id)}::bigint[],
           ${entries.map(({ bucket }) => bucket)}::smallint[],
           ${entries.map(({ key }) => key)}::bigint[],
           ${entries.map(({ seq }) => seq)}::bigint[]) as w(id, bucket, key, seq)`
}
