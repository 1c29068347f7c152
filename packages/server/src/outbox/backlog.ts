import { sql } from 'kysely'
import type { Db } from '../database/db.ts'
import { maxDataCharacters } from './batches.ts'
import type { Append, AppendedEntry, RecordedEvent } from './committed.ts'
import type { EventName, Events } from './events.ts'

/** What waits to be published, and how old the oldest of it is. */
export interface Backlog {
  readonly receipts: number
  readonly events: number
  readonly oldestAt: number | undefined
}

const maxCounted = 10_000
const entriesPerPage = 1000
const receiptsPerPage = 200
const eventsPerPage = 200
/** Rows of the outbox are swept app by app, so that several processes can share the work. */
export const appRanges = 4

/** Counts no further than a bound: a scrape must cost the same whatever has piled up. */
export async function measureBacklog(db: Db): Promise<Backlog> {
  const { rows } = await sql<{ receipts: number; events: number; oldestAt: number | null }>`
    select
      (select count(*) from (select from append_receipts limit ${maxCounted}) r) as receipts,
      (select count(*) from (select from outbox limit ${maxCounted}) o) as events,
      least((select at from append_receipts order by receipt_id limit 1),
            (select created_at from outbox order by event_id limit 1)) as "oldestAt"
  `.execute(db)
  const { receipts = 0, events = 0, oldestAt } = rows[0] ?? {}
  return { receipts, events, oldestAt: oldestAt ?? undefined }
}

/** When the first of what waits was written; approximately, where clocks of processes differ. */
export async function oldestWritten(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ at: number | null }>`
    select least(
      (select min(at) from (
         select at from append_receipts order by receipt_id limit ${receiptsPerPage}) r),
      (select min(created_at) from (
         select created_at from outbox order by event_id limit ${eventsPerPage}) o)) as at
  `.execute(db)
  return rows[0]?.at ?? undefined
}

export interface Page<T> {
  readonly items: readonly T[]
  /** There may be more behind it. */
  readonly full: boolean
}

/** The oldest receipts with their entries. A conversation's receipts grow with its seq. */
export async function readAppends(db: Db, writtenUntil: number): Promise<Page<Append>> {
  const { rows: receipts } = await sql<{ receipt: number; entries: number }>`
    select receipt_id as receipt,
           (select sum(last - first + 1) from unnest(first_seqs, last_seqs) as t(first, last))::int
             as entries
    from append_receipts where at <= ${writtenUntil}
    order by receipt_id limit ${receiptsPerPage}`.execute(db)
  let entries = 0
  const taken = receipts.filter((receipt) => {
    const fits = entries < entriesPerPage
    entries += receipt.entries
    return fits
  })
  const full = taken.length < receipts.length || receipts.length === receiptsPerPage
  if (taken.length === 0) return { items: [], full }
  const ids = taken.map(({ receipt }) => receipt)
  // In the order of ids, which is the order in which the batch named them.
  const { rows } = await sql<AppendedEntry & { receipt: number }>`
    select r.receipt_id as receipt, e.app_id as "appId", e.bucket, e.conversation_key as key, e.seq,
           e.id, e.sent_at as at, e.sender, e.category, e.type, e.muid, e.parent_seq as "parentSeq",
           case when length(e.data::text) <= ${maxDataCharacters} then e.data::text end as data,
           case when length(e.extra::text) <= ${maxDataCharacters} then e.extra::text end as extra,
           e.verdict::text as verdict, e.extra ? 'imported' as imported
    from append_receipts r
    cross join lateral unnest(r.buckets, r.conversation_keys, r.first_seqs, r.last_seqs)
      as t(bucket, key, first, last)
    -- The limit keeps it lateral: one probe of the index for each range, however many entries there
    -- are. Joined, it could be planned as a hash of the whole log.
    cross join lateral (
      select * from entries e
      where e.bucket = t.bucket and e.conversation_key = t.key and e.seq between t.first and t.last
      order by e.seq limit t.last - t.first + 1) e
    where r.receipt_id = any(${ids})
    order by e.id`.execute(db)
  const byReceipt = Map.groupBy(rows, ({ receipt }) => receipt)
  return { items: ids.map((receipt) => ({ receipt, entries: byReceipt.get(receipt) ?? [] })), full }
}

/** The oldest events of a range of the apps. */
export async function readEvents(
  db: Db,
  range: number,
  writtenUntil: number,
): Promise<Page<RecordedEvent>> {
  const { rows } = await sql<{
    id: string
    appId: string
    name: EventName
    at: number
    payload: Events[EventName]
  }>`
    select event_id as id, app_id as "appId", name, created_at as at, payload from outbox
    where hashtextextended(app_id, 0) & ${appRanges - 1} = ${range} and created_at <= ${writtenUntil}
    order by event_id limit ${eventsPerPage}`.execute(db)
  return { items: rows, full: rows.length === eventsPerPage }
}

export async function deleteReceipts(db: Db, receipts: readonly number[]): Promise<void> {
  await sql`delete from append_receipts where receipt_id = any(${receipts}::bigint[])`.execute(db)
}

export async function deleteEvents(db: Db, ids: readonly string[]): Promise<void> {
  await sql`delete from outbox where event_id = any(${ids}::uuid[])`.execute(db)
}
