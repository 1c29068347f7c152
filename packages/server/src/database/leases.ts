import { setTimeout as after } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Db } from './db.ts'

export interface LeaseOptions {
  readonly db: Db
  readonly names: readonly string[]
  /** Runs while this process holds the lease; must end soon after `lost`. */
  readonly hold: (name: string, lost: AbortSignal) => Promise<void>
  readonly log: Logger
}

const pauseMs = 1000

/**
 * Each name is held by one process at a time, by an advisory lock of a connection that is kept for
 * it. When the connection dies the locks are free, and another process takes them.
 */
export function holdLeases({ db, names, hold, log }: LeaseOptions): AsyncDisposable {
  const closing = new AbortController()
  const work = run()

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        await db.connection().execute(holdOn)
      } catch (error) {
        log.warn({ err: error }, 'the leases of this process are lost, and asked for again')
        await pause()
      }
    }
  }

  async function holdOn(session: Db): Promise<void> {
    const lost = new AbortController()
    const held = new Map<string, Promise<void>>()
    try {
      while (!closing.signal.aborted) {
        const wanted = names.filter((name) => !held.has(name))
        for (const name of await take(session, wanted)) held.set(name, hold(name, lost.signal))
        await pause()
      }
    } finally {
      lost.abort()
      await Promise.all(held.values())
      // The connection goes back to the pool, and its locks must not.
      await sql`select pg_advisory_unlock_all()`.execute(session)
    }
  }

  async function pause(): Promise<void> {
    const { signal } = closing
    await after(pauseMs * (0.5 + Math.random()), undefined, { signal }).catch(() => undefined)
  }

  return {
    async [Symbol.asyncDispose]() {
      closing.abort()
      await work
    },
  }
}

/** Of these names, those that nobody held. Asking also proves that the connection lives. */
async function take(session: Db, names: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${names}::text[]) as name
    where pg_try_advisory_lock(hashtextextended(name, 0))`.execute(session)
  return rows.map(({ name }) => name)
}
