import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import { bigints } from '../../database/arrays.ts'
import type { EntryRow } from '../log/entries/index.ts'

/** An entry of the user, or one that names them. */
export interface FoundEntry extends EntryRow {
  /** JSON text. */
  readonly verdictText: string | null
  /** Its conversation was deleted with one of its two users. */
  readonly isLost: boolean
}

export interface IdRange {
  /** Excluded. */
  readonly after: number
  readonly upTo: number
}

/** The next ids of the app; none: there are no more. */
export async function nextRange({ appId, db }: AppDb, after: number, most: number) {
  const { rows } = await sql<{ upTo: number | null; entries: number }>`
    select max(r.id) as "upTo", count(*) as entries from (
      select id from entries where app_id = ${appId} and id > ${after} order by id limit ${most}
    ) r`.execute(db)
  const [range] = rows
  return range?.upTo ? { after, upTo: range.upTo, entries: range.entries } : undefined
}

/** In the order of their ids. */
export async function findOfUser(
  { appId, db }: AppDb,
  uid: string,
  { after, upTo }: IdRange,
  most: number,
): Promise<FoundEntry[]> {
  const mention = `<@uid:${uid}>`
  const quoted = JSON.stringify(uid)
  const { rows } = await sql<FoundEntry>`
    select e.bucket, e.conversation_key as key, e.seq, e.id, e.sender, e.category, e.type, e.muid,
           e.data::text as data, e.extra, e.sent_at as "sentAt",
           coalesce(e.updated_at, e.sent_at) as "updatedAt", e.edited_at as "editedAt",
           e.deleted_at as "deletedAt", e.verdict::text as "verdictText",
           c.is_there is null as "isLost"
    from entries e
    left join lateral (
      select true as is_there from conversations c
      where c.conversation_key = e.conversation_key limit 1) c on true
    where e.app_id = ${appId} and e.id > ${after} and e.id <= ${upTo}
      and (e.sender = ${uid} or c.is_there is null
           or exists (select from reactions r
                      where r.bucket = e.bucket and r.conversation_key = e.conversation_key
                        and r.uid = ${uid} and r.seq = e.seq)
           or strpos(lower(e.data::text), ${mention}) > 0
           or strpos(lower(e.verdict::text), ${mention}) > 0
           or strpos(e.extra::text, ${quoted}) > 0
           or e.category = 'action' and e.data ->> 'on' = ${uid}
           or exists (select from entry_edits d
                      where d.bucket = e.bucket and d.conversation_key = e.conversation_key
                        and d.seq = e.seq and strpos(lower(d.data::text), ${mention}) > 0))
    order by e.id limit ${most}`.execute(db)
  return rows
}

/** Of these conversations of the app, those that are gone. */
export async function lostAmong(
  { appId, db }: AppDb,
  keys: readonly number[],
): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ key: number }>`
    select c.conversation_key as key from conversations c
    where c.app_id = ${appId} and c.conversation_key = any(${bigints(keys)}::bigint[])`.execute(db)
  const there = new Set(rows.map(({ key }) => key))
  return new Set(keys.filter((key) => !there.has(key)))
}
