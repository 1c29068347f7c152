import { sql } from 'kysely'
import type { Logger } from 'pino'
import { jittered, openSleeper } from '../jobs/sleeper.ts'
import type { WakeUp } from '../jobs/wake-up.ts'
import type { Db } from './db.ts'
import type { Database } from './pool.ts'

export interface LeaseOptions {
  readonly database: Pick<Database, 'db' | 'onLost'>
  readonly names: readonly string[]
  /** Runs while this process holds the lease; must end soon after `lost`. */
  readonly hold: (name: string, lost: AbortSignal) => Promise<void>
  readonly wakeUp: WakeUp
  readonly log: Logger
  readonly pollMs?: number
}

/** Who listens to it is told that a process has given its leases up. */
const freed = 'leases'
/** Whoever was killed tells nobody. */
const usualPollMs = 5000
const troubleMs = 1000

/**
 * Each name is held by one process at a time, by an advisory lock of a connection that is kept for
 * it. When the connection dies the locks are free, and another process takes them.
 */
export function holdLeases(options: LeaseOptions): AsyncDisposable {
  const { database, names, hold, wakeUp, log, pollMs = usualPollMs } = options
  const closing = new AbortController()
  const sleeper = openSleeper<'freed' | 'lost'>()
  const stopListening = wakeUp.listen(freed, () => sleeper.wake('freed'))
  database.onLost(() => sleeper.wake('lost'))
  const work = run()

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        await database.db.connection().execute(holdOn)
      } catch (error) {
        log.warn({ err: error }, 'this process lost its leases and is requesting them again')
        await sleeper.sleep(jittered(troubleMs))
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
        await sleeper.sleep(jittered(pollMs))
      }
    } finally {
      lost.abort()
      await Promise.all(held.values())
      // The connection goes back to the pool, and its locks must not.
      await sql`select pg_advisory_unlock_all()`.execute(session)
    }
  }

  return {
    async [Symbol.asyncDispose]() {
      closing.abort()
      stopListening()
      sleeper.close()
      await work
      wakeUp.wake([freed])
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
