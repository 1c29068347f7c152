import { setTimeout as after } from 'node:timers/promises'
import type { InstallDb } from '../database/app-db.ts'
import { forgetAuditLog } from '../database/audit-log.ts'
import { holdLeases, type LeaseOptions } from '../database/leases.ts'
import { openLoader } from '../database/loader.ts'
import type { WakeUp } from '../jobs/wake-up.ts'
import { partitions } from '../outbox/batches.ts'
import type { Listener } from '../outbox/listener.ts'
import { type ConsumerParts, consume } from './consumer.ts'
import { openGathering } from './gathering.ts'
import { type Concerns, handleGathered } from './handle.ts'
import { forgetHandled } from './handled.sql.ts'
import { openSlots } from './turns.ts'

export interface WorkerParts extends ConsumerParts {
  /** Where leases are held. */
  readonly session: LeaseOptions['database']
  readonly wakeUp: WakeUp
  readonly listeners: readonly Listener[]
  /** Of one listener in this process. */
  readonly concurrency: number
  /** How long NATS keeps events: as long a repeat must be known. */
  readonly hours: number
  readonly keepAuditDays: number
}

export interface Worker extends AsyncDisposable {
  /** Throws while a consumer whose lease this process holds cannot be opened. */
  check(): Promise<void>
}

const pauseMs = 1000
const tidyEveryMs = 60_000
const daySeconds = 86_400

/**
 * Runs the listeners. Each partition of each listener is worked on by one process at a time, which
 * keeps it in order; which one is decided by a lease.
 */
export function startWorker(parts: WorkerParts): Worker {
  const { database, session, listeners, wakeUp, log } = parts
  const disposing = new AbortController()
  const { signal: stopping } = disposing
  const jobs = new Map(
    listeners.flatMap((listener) => {
      const slots = openSlots(parts.concurrency)
      const concerns = concernsOf(listener, database)
      const gathering = openGathering((appId, events) => {
        const isConcerned = () => concerns(appId)
        return handleGathered(parts, { listener, appId, events, slots, isConcerned, stopping })
      }, stopping)
      const own = { listener, slots, concerns, gathering }
      return Array.from({ length: partitions }, (_, partition) => [
        `${listener.name}-${partition}`,
        { ...own, partition },
      ])
    }),
  )

  /** Why consumers are not open, by name. */
  const failing = new Map<string, string>()

  async function hold(name: string, stopping: AbortSignal): Promise<void> {
    const job = jobs.get(name)
    const onOpened = () => void failing.delete(name)
    while (job && !stopping.aborted) {
      try {
        await consume(parts, { ...job, stopping, onOpened })
      } catch (error) {
        failing.set(name, error instanceof Error ? error.message : String(error))
        log.debug({ err: error, consumer: name }, 'a consumer ended, and is opened again')
      }
      await after(pauseMs, undefined, { signal: stopping }).catch(() => undefined)
    }
    failing.delete(name)
  }

  async function forget(): Promise<void> {
    const before = parts.clock() - parts.hours * 3600
    while ((await forgetHandled(database.db, before)) > 0);
    const tooOld = parts.clock() - parts.keepAuditDays * daySeconds
    while ((await forgetAuditLog(database.db, tooOld)) > 0);
  }

  async function tidyUp(): Promise<void> {
    const tidies = listeners.flatMap(({ tidy }) => (tidy ? [tidy] : []))
    try {
      await forget()
      for (const tidy of tidies) while (await tidy(database, parts.clock()));
    } catch (error) {
      log.warn({ err: error }, 'could not delete expired rows; trying again at the next interval')
    }
  }

  const leases = holdLeases({
    database: session,
    names: [...jobs.keys()],
    hold,
    wakeUp,
    log,
  })
  const timer = setInterval(() => void tidyUp(), tidyEveryMs)
  return {
    async check() {
      for (const [name, error] of failing) {
        throw new Error(`${failing.size} consumers are not open, ${name} among them: ${error}`)
      }
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      disposing.abort()
      await leases[Symbol.asyncDispose]()
    },
  }
}

/** The events of a moment ask together. */
function concernsOf({ concerns }: Listener, { db }: InstallDb): Concerns {
  if (!concerns) return async () => true
  const loader = openLoader({
    async fetch(appIds: readonly string[]) {
      const concerned = new Set(await concerns(db, appIds))
      return appIds.map((appId) => concerned.has(appId))
    },
    nameOf: (appId) => appId,
    concurrency: 1,
    maxPerBatch: 500,
  })
  return async (appId) => (await loader.load(appId)) ?? false
}
