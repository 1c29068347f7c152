import { setTimeout as after } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Db } from '../database/db.ts'
import type { Database } from '../database/pool.ts'
import { appRanges, deleteEvents, deleteReceipts, readAppends, readEvents } from './backlog.ts'
import { batchesOf, batchOf } from './batches.ts'
import type { CommitHook, Committed } from './committed.ts'
import type { BatchStream, Publisher } from './publish.ts'

export interface SweeperParts {
  readonly database: Database
  readonly stream: BatchStream
  readonly publisher: Publisher
  readonly clock: () => number
  readonly log: Logger
  readonly onSwept?: (count: number) => void
  /** Is told what was swept, beside the stream. */
  readonly announce?: CommitHook
}

/** Rows that are younger are still in the hands of the process that wrote them. */
const graceSeconds = 5
const pauseMs = 1000
const pauseBehindMs = 250
/** Between two pages: a flood of old events leaves room for new ones. */
const pausePageMs = 10
/** Of advisory locks: ours, among those of other programs in the same database. */
const lockClass = 0x6368

/** `taken`: another process holds this lease. */
type Swept = 'all' | 'more' | 'taken'

interface Lease {
  readonly id: number
  /** Publishes a page and takes its rows away; what was in it, and whether there may be more. */
  readonly sweep: (db: Db, writtenUntil: number) => Promise<Committed & { full: boolean }>
}

/**
 * Publishes what stayed behind: of processes that died between commit and publication, and of this
 * one after NATS was away. Receipts have one lease, because only their order keeps a conversation in
 * order; rows of the outbox have one for each range of the apps.
 */
export function openSweeper(parts: SweeperParts): AsyncDisposable {
  const closing = new AbortController()
  const leases = leasesOf(parts.stream)
  const work = run()

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      const { behind } = parts.publisher
      await pause(behind ? pauseBehindMs : pauseMs)
      if (await isThere()) await round(behind)
    }
  }

  /** Whether NATS is; the bus has told the operator if not. */
  async function isThere(): Promise<boolean> {
    return parts.stream.open().then(
      () => true,
      () => false,
    )
  }

  async function round(behind: boolean): Promise<void> {
    try {
      if (behind) await catchUp()
      else for (const lease of leases) await sweepAll(lease, graceSeconds)
    } catch (error) {
      parts.log.warn({ err: error }, 'events could not be swept, which is tried again')
    }
  }

  /** Whatever was committed before `hold` is published before anything that came after it. */
  async function catchUp(): Promise<void> {
    for (const lease of leases) await sweepAll(lease, 0)
    parts.publisher.hold()
    for (const lease of leases) await sweepAll(lease, 0)
    if (!closing.signal.aborted) parts.publisher.resume()
  }

  async function sweepAll(lease: Lease, ageSeconds: number): Promise<void> {
    while (!closing.signal.aborted) {
      const swept = await sweepPage(lease, parts.clock() - ageSeconds)
      // Someone else is at it. Only whoever is behind must know that nothing is left.
      if (swept === 'all' || (swept === 'taken' && ageSeconds > 0)) return
      await pause(pausePageMs)
    }
  }

  function sweepPage(lease: Lease, writtenUntil: number): Promise<Swept> {
    return parts.database.transaction(async (db) => {
      // Whatever the statistics say, the log is not read from end to end.
      const { rows } = await sql<{ got: boolean }>`
        select pg_try_advisory_xact_lock(${lockClass}, ${lease.id}) as got,
               set_config('enable_seqscan', 'off', true)`.execute(db)
      if (!rows[0]?.got) return 'taken'
      const { full, ...swept } = await lease.sweep(db, writtenUntil)
      const count = swept.appends.length + swept.events.length
      if (count > 0) parts.onSwept?.(count)
      if (count > 0) parts.announce?.(swept)
      return full ? 'more' : 'all'
    })
  }

  /** Not to the millisecond: processes that started together shall not sweep together. */
  async function pause(ms: number): Promise<void> {
    const { signal } = closing
    await after(ms * (0.5 + Math.random()), undefined, { signal }).catch(() => undefined)
  }

  return {
    async [Symbol.asyncDispose]() {
      closing.abort()
      await work
    },
  }
}

function leasesOf(stream: BatchStream): Lease[] {
  const receipts: Lease = {
    id: 0,
    async sweep(db, writtenUntil) {
      const { items, full } = await readAppends(db, writtenUntil)
      await Promise.all(items.flatMap(batchesOf).map((batch) => stream.publish(batch)))
      if (items.length > 0)
        await deleteReceipts(
          db,
          items.map(({ receipt }) => receipt),
        )
      return { appends: items, events: [], full }
    },
  }
  const events = Array.from(
    { length: appRanges },
    (_, range): Lease => ({
      id: 1 + range,
      async sweep(db, writtenUntil) {
        const { items, full } = await readEvents(db, range, writtenUntil)
        await Promise.all(items.map((event) => stream.publish(batchOf(event))))
        if (items.length > 0)
          await deleteEvents(
            db,
            items.map(({ id }) => id),
          )
        return { appends: [], events: items, full }
      },
    }),
  )
  return [receipts, ...events]
}
