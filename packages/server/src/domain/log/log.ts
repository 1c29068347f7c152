import { type Batcher, openBatcher } from '../../database/batcher.ts'
import type { Db } from '../../database/db.ts'
import { asksForRetry, isDuplicate, isRefusal, staleNumbers } from '../../database/errors.ts'
import type { Append, AppendedEntry, CommitHook } from '../../outbox/committed.ts'
import type { AppTransaction } from '../../outbox/unit-of-work.ts'
import { StaleFacts } from '../../pipeline/failure.ts'
import { type TraceContext, traceparentOf } from '../../tracing/trace-context.ts'
import { currentTrace, type Tracer } from '../../tracing/tracer.ts'
import {
  type AppendAddition,
  type Appended,
  additionsTo,
  appendEntries,
  findByMuid,
  type Muid,
  muidName,
  type NewEntry,
  type Placed,
} from './log.sql.ts'
import { startBatch, traceAppends } from './traced-appends.ts'

const attempts = 3
// At an ordinary load a send does not wait for the one before it.
const concurrency = 4
const maxFew = 16
// Where there is much to do, PostgreSQL works on one batch while this process answers the other. Three
// would be smaller, and each send would cost more.
const alone = { maxPerBatch: 64, concurrencyOfMany: 2 }
// While PostgreSQL works on the batch of one process, the others answer.
const besideOthers = { maxPerBatch: 128, concurrencyOfMany: 1 }

interface AppendBatcherOptions {
  readonly onCommit?: CommitHook
  readonly additions?: readonly AppendAddition[]
  readonly tracer?: Tracer | undefined
  /** How many processes of this machine send. */
  readonly processes?: number
}

/** Sends go this way into the log: all that arrives while a batch is committed shares the next one. */
export function openAppendBatcher(
  db: Db,
  clock: () => number,
  { onCommit = () => undefined, additions = [], tracer, processes = 1 }: AppendBatcherOptions = {},
): Batcher<NewEntry, Appended> {
  const batcher = openBatcher<NewEntry, Appended>({
    ...(processes > 1 ? besideOthers : alone),
    concurrency,
    maxFew,
    // A conversation keeps its order of arrival.
    orderOf: ({ key }) => key,
    async commit(entries) {
      const span = tracer && startBatch(tracer, entries)
      const placed = await untilNoDeadlock(() => appendOnce(db, entries, clock(), additions))
        // A batch that is refused is tried again, entry by entry: each then has a batch of its own.
        .finally(() => span?.end())
      const append = appendOf(entries, placed, span?.context)
      const wakes = queuesOf(entries, additions)
      if (append) onCommit({ events: [], appends: [append], wakes })
      return placed
    },
    isRefusal,
  })
  return tracer ? traceAppends(batcher, tracer) : batcher
}

/** As a transaction is tried again: a lone entry has no smaller batch in which the batcher could try it. */
async function untilNoDeadlock<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === attempts || !asksForRetry(error)) throw error
    }
  }
}

/** The way of a transaction that changes more: results in the order of the entries. */
export async function appendWithin(
  { db, outbox, now }: AppTransaction,
  entries: readonly NewEntry[],
  additions: readonly AppendAddition[] = [],
): Promise<Placed[]> {
  const placed = await appendEntries(db.db, entries, now, additions)
  const trace = currentTrace()
  const append = appendOf(
    trace ? entries.map((one) => ({ ...one, trace })) : entries,
    placed,
    trace,
  )
  if (append) outbox.appended(append)
  for (const name of queuesOf(entries, additions)) outbox.wake({ name })
  return placed
}

/** Queues that these have added jobs to. */
function queuesOf(
  entries: readonly NewEntry[],
  additions: readonly AppendAddition[],
): ReadonlySet<string> {
  return new Set(additionsTo(entries, additions).flatMap(({ queue }) => queue?.name ?? []))
}

/** What there is to publish; undefined: every one of them was stored before. */
function appendOf(
  entries: readonly NewEntry[],
  placed: readonly ((Placed & { readonly repeated?: boolean }) | StaleFacts)[],
  trace?: TraceContext,
): Append | undefined {
  let receipt: number | undefined
  const fresh: AppendedEntry[] = []
  for (const [place, entry] of entries.entries()) {
    const at = placed[place]
    if (!at || at instanceof StaleFacts || at.receipt === undefined || at.repeated) continue
    receipt = at.receipt
    fresh.push(appendedEntry(entry, at))
  }
  if (receipt === undefined) return undefined
  return { receipt, entries: fresh, ...(trace && { trace: traceparentOf(trace) }) }
}

function appendedEntry(entry: NewEntry, { seq, id, at, seen }: Placed): AppendedEntry {
  const { bucket, key, appId, sender, category, type, muid, parentSeq, data, extra, verdict } =
    entry
  return {
    bucket,
    key,
    appId,
    seq,
    id,
    at,
    sender,
    category,
    type,
    muid,
    parentSeq,
    data,
    extra,
    verdict,
    profiles: entry.people?.published(seen),
    trace: entry.trace && traceparentOf(entry.trace),
  }
}

/**
 * Appends what is not stored yet. The plain insert is tried first, since a repeat is rare; only
 * when the unique index refuses are the known ones looked up and taken out. What is stale is not
 * appended.
 */
export async function appendOnce(
  db: Db,
  entries: readonly NewEntry[],
  now: number,
  additions: readonly AppendAddition[] = [],
): Promise<(Appended | StaleFacts)[]> {
  const known = new Map<string, Placed>()
  const stale = new Set<NewEntry>()
  for (;;) {
    const fresh = distinct(entries.filter((entry) => !stale.has(entry) && !isKnown(entry, known)))
    try {
      const placed = fresh.length > 0 ? await appendEntries(db, fresh, now, additions) : []
      if (fresh.length === entries.length) return placed.map((at) => ({ ...at, repeated: false }))
      const byName = new Map(fresh.map((entry, place) => [nameOf(entry), placed[place]]))
      const first = new Set(fresh)
      return entries.map((entry) => {
        if (stale.has(entry)) return new StaleFacts()
        const found = byName.get(nameOf(entry)) ?? (hasMuid(entry) && known.get(muidName(entry)))
        if (!found) throw new Error('An entry was lost between the batch and its result.')
        return { ...found, repeated: !first.has(entry) }
      })
    } catch (error) {
      const outdated = staleIn(error, fresh)
      for (const entry of outdated) stale.add(entry)
      if (outdated.length > 0) continue
      if (!isDuplicate(error, /_md5_idx$/)) throw error
      const before = known.size
      for (const [name, placed] of await findByMuid(db, fresh.filter(hasMuid)))
        known.set(name, placed)
      // Nothing found although refused: not a repeat that we understand.
      if (known.size === before) throw error
    }
  }
}

/** Those that the database named as stale. */
function staleIn(error: unknown, entries: readonly NewEntry[]): NewEntry[] {
  return staleNumbers(error).flatMap((number) => entries[number - 1] ?? [])
}

function hasMuid(entry: NewEntry): entry is NewEntry & Muid {
  return entry.muid !== undefined
}

function isKnown(entry: NewEntry, known: ReadonlyMap<string, Placed>): boolean {
  return known.size > 0 && hasMuid(entry) && known.has(muidName(entry))
}

/** Entries without a muid are never the same as another. */
function nameOf(entry: NewEntry): string | NewEntry {
  return hasMuid(entry) ? muidName(entry) : entry
}

/** The first of each, in the order of arrival. */
function distinct(entries: readonly NewEntry[]): NewEntry[] {
  const names = new Set<string | NewEntry>()
  return entries.filter((entry) => names.size < names.add(nameOf(entry)).size)
}
