import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { AppDb, InstallDb } from '../database/app-db.ts'
import type { Db } from '../database/db.ts'
import type { FileAddresses } from '../storage/addresses.ts'
import { traceparentOf } from '../tracing/trace-context.ts'
import { currentTrace } from '../tracing/tracer.ts'
import type { Append, CommitHook, Committed, RecordedEvent } from './committed.ts'
import type { EventName, Events } from './events.ts'

/** An entry has its receipt instead of a row of its own. */
type RecordedName = Exclude<EventName, 'entry.appended' | 'entry.imported'>

/** Events of one transaction: rows like any other, so they exist exactly when the change does. */
export interface Outbox {
  append<N extends RecordedName>(name: N, payload: Events[N]): Promise<void>
  /** The receipt is written already; this remembers it until the commit. */
  appended(append: Append): void
  /** After the commit: the runners of a queue that got jobs, or who else listens to this name. */
  wake(who: { readonly name: string }): void
}

interface NewEvent<N extends RecordedName = RecordedName> {
  readonly appId: string
  readonly name: N
  readonly payload: Events[N]
}

/** Events of any apps, in one statement. */
interface InstallOutbox {
  append(events: readonly NewEvent[]): Promise<void>
}

/** A transaction of one app, with the events that it records, at one instant in unix seconds. */
export interface AppTransaction {
  readonly db: AppDb
  readonly outbox: Outbox
  readonly now: number
  /** Addresses of files, in messages that others are told of; undefined: there are none. */
  readonly addresses?: FileAddresses | undefined
}

/** A transaction of the whole install. */
export interface InstallTransaction {
  readonly db: InstallDb
  readonly outbox: InstallOutbox
  readonly now: number
}

/**
 * Units of work: `work` runs in one transaction, again after a deadlock, and the events that it
 * recorded are published after the commit.
 */
export interface Transactions {
  inApp<T>(appId: string, work: (transaction: AppTransaction) => Promise<T>): Promise<T>
  inInstall<T>(work: (transaction: InstallTransaction) => Promise<T>): Promise<T>
}

interface TransactionParts {
  /** Opens one on the database, and commits it. */
  readonly begin: <T>(work: (db: Db) => Promise<T>) => Promise<T>
  readonly onCommit: CommitHook
  readonly clock: () => number
  readonly addresses?: FileAddresses | undefined
}

/** The only way to an outbox: an event cannot be recorded outside the transaction of its change. */
export function openTransactions(parts: TransactionParts): Transactions {
  const { begin, onCommit, clock, addresses } = parts
  async function inTransaction<T>(
    work: (db: Db, outbox: OpenOutbox, now: number) => Promise<T>,
  ): Promise<T> {
    const now = clock()
    let recorded: Committed | undefined
    const result = await begin((db) => {
      // A new one for each attempt: what was recorded before a deadlock is gone.
      const outbox = openOutbox(db, now)
      recorded = outbox.recorded
      return work(db, outbox, now)
    })
    if (recorded) onCommit(recorded)
    return result
  }
  return {
    inApp: (appId, work) =>
      inTransaction((db, outbox, now) =>
        work({
          db: { appId, db },
          outbox: outbox.of(appId),
          now,
          ...(addresses && { addresses }),
        }),
      ),
    inInstall: (work) => inTransaction((db, outbox, now) => work({ db: { db }, outbox, now })),
  }
}

interface OpenOutbox extends InstallOutbox {
  readonly recorded: Committed
  of(appId: string): Outbox
}

function openOutbox(db: Db, now: number): OpenOutbox {
  const events: RecordedEvent[] = []
  const appends: Append[] = []
  const wakes = new Set<string>()
  async function append(fresh: readonly NewEvent[]): Promise<void> {
    const context = currentTrace()
    const trace = context && traceparentOf(context)
    const recorded = fresh.map((event) => ({ ...event, id: uuidv7(), at: now, trace }))
    if (recorded.length > 0) await insertEvents(db, recorded)
    events.push(...recorded)
  }
  return {
    recorded: { events, appends, wakes },
    append,
    of: (appId) => ({
      append: (name, payload) => append([{ appId, name, payload }]),
      appended: (batch) => void appends.push(batch),
      wake: ({ name }) => void wakes.add(name),
    }),
  }
}

async function insertEvents(db: Db, events: readonly RecordedEvent[]): Promise<void> {
  await sql`
    insert into outbox (event_id, app_id, name, payload, created_at)
    select w.id, w.app_id, w.name, w.payload::jsonb, w.at
    from unnest(${events.map(({ id }) => id)}::uuid[], ${events.map(({ appId }) => appId)}::text[],
                ${events.map(({ name }) => name)}::text[],
                ${events.map(({ payload }) => JSON.stringify(payload))}::text[],
                ${events.map(({ at }) => at)}::bigint[])
      as w(id, app_id, name, payload, at)`.execute(db)
}
