import { setTimeout as after } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Db } from '../database/db.ts'
import type { Database } from '../database/pool.ts'
import { jittered, openSleeper } from '../jobs/sleeper.ts'
import {
  appRanges,
  deleteEvents,
  deleteReceipts,
  oldestWritten,
  readAppends,
  readEvents,
} from './backlog.ts'
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
/** Not longer than `graceSeconds`: so whatever is left is known before its time, and swept at it. */
const maxPauseMs = 5000
const pauseBehindMs = 250
/** After a sweep, or one that failed. */
const pauseMs = 1000
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
  const { signal } = closing
  const sleeper = openSleeper<'behind'>()
  const leases = leasesOf(parts.stream)
  parts.publisher.onBehind(() => sleeper.wake('behind'))
  const work = run()

  async function run(): Promise<void> {
    let ms = pauseMs
    while ((await sleeper.sleep(jittered(ms))) !== 'closed') {
      const { behind } = parts.publisher
      ms = (await isThere(parts)) ? await round(behind) : pauseMs
      if (parts.publisher.behind) ms = pauseBehindMs
    }
  }

  /** How long to pause after it. */
  async function round(behind: boolean): Promise<number> {
    try {
      if (behind) await catchUp()
      else return await sweepOld()
    } catch (error) {
      parts.log.warn({ err: error }, 'the sweeper could not publish events; trying again')
    }
    return pauseMs
  }

  /** One statement tells whether there is anything to sweep, now or soon. */
  async function sweepOld(): Promise<number> {
    const oldest = await oldestWritten(parts.database.db)
    if (oldest === undefined) return maxPauseMs
    const waitSeconds = oldest + graceSeconds - parts.clock()
    if (waitSeconds > 0) return Math.min(waitSeconds * 1000, maxPauseMs)
    for (const lease of leases) await sweepAll(lease, graceSeconds)
    return pauseMs
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
      const swept = await sweepPage(parts, lease, parts.clock() - ageSeconds)
      // Someone else is at it. Only whoever is behind must know that nothing is left.
      if (swept === 'all' || (swept === 'taken' && ageSeconds > 0)) return
      await after(jittered(pausePageMs), undefined, { signal }).catch(() => undefined)
    }
  }

  return {
    async [Symbol.asyncDispose]() {
      closing.abort()
      sleeper.close()
      await work
    },
  }
}

/** Whether NATS is; the bus has told the operator if not. */
function isThere({ stream }: SweeperParts): Promise<boolean> {
  return stream.open().then(
    () => true,
    () => false,
  )
}

function sweepPage(parts: SweeperParts, lease: Lease, writtenUntil: number): Promise<Swept> {
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
