import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import type { Db } from './app-db.ts'
import { nameOf, runHotOn } from './hot.ts'

// Every bigint of ours stays below 2^53: message ids, counters, unix seconds.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

export interface Database extends AsyncDisposable {
  readonly db: Db
  /** One round trip; throws when PostgreSQL does not answer. */
  ping(): Promise<void>
  /** Runs `work` in one transaction, again if PostgreSQL asked for it (deadlock, serialization). */
  transaction<T>(work: (db: Db) => Promise<T>): Promise<T>
  stats(): { total: number; idle: number; waiting: number }
}

export interface DatabaseOptions {
  readonly url: string
  readonly poolSize: number
  /** For hot statements outside transactions; as many again where it is not said. */
  readonly hotPoolSize?: number
  readonly statementTimeoutMs: number
  readonly onIdleError: (error: Error) => void
}

const attempts = 3

export function openDatabase(options: DatabaseOptions): Database {
  const pool = openPool(options, options.poolSize, { settings: [], idleTimeoutMillis: 10_000 })
  // By itself PostgreSQL would plan most hot statements at every call, because a plan for all
  // partitions looks dear; and planning takes longer than running them.
  const hot = openPool(options, options.hotPoolSize ?? options.poolSize, {
    settings: ['plan_cache_mode=force_generic_plan'],
    // Kept for good: a new one has all its plans before it, and its first send waits for them.
    idleTimeoutMillis: 0,
  })
  const db: Db = new Kysely({ dialect: new PostgresDialect({ pool: preparing(pool, hot) }) })
  runHotOn(db, (query) => queryOn(hot, query))
  return {
    db,
    async ping() {
      await pool.query('select 1')
    },
    async transaction(work) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await db.transaction().execute(work)
        } catch (error) {
          if (attempt === attempts || !asksForRetry(error)) throw error
        }
      }
    },
    stats: () => ({
      total: pool.totalCount + hot.totalCount,
      idle: pool.idleCount + hot.idleCount,
      waiting: pool.waitingCount + hot.waitingCount,
    }),
    async [Symbol.asyncDispose]() {
      await db.destroy()
      await Promise.all([pool.end(), hot.end()])
    },
  }
}

interface PoolOptions {
  readonly settings: readonly string[]
  readonly idleTimeoutMillis: number
}

function openPool(
  options: DatabaseOptions,
  max: number,
  { settings, idleTimeoutMillis }: PoolOptions,
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    max,
    idleTimeoutMillis,
    statement_timeout: options.statementTimeoutMs,
    idle_in_transaction_session_timeout: options.statementTimeoutMs,
    connectionTimeoutMillis: 5000,
    // Compiling a plan takes longer than any statement of ours should run.
    options: ['jit=off', ...settings].map((setting) => `-c ${setting}`).join(' '),
    application_name: 'chorale',
  })
  pool.on('error', options.onIdleError)
  // A connection that is lost while a call holds it fails that call's statement; unheard, its event
  // would end the process as well.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** The pool's own way gives up the connection, and all it has planned, when a statement is refused. */
async function queryOn(pool: pg.Pool, query: pg.QueryConfig): Promise<pg.QueryResult> {
  const client = await pool.connect()
  try {
    return await client.query(query)
  } finally {
    client.release()
  }
}

/**
 * Hot statements are prepared under their name, and outside a transaction have connections of
 * their own; every other statement is planned for its values.
 */
function preparing(pool: pg.Pool, hot: pg.Pool): PostgresPool {
  return {
    options: pool.options,
    async connect() {
      let client: Promise<pg.PoolClient> | undefined
      const query = async (text: string, values: readonly unknown[]) => {
        const name = nameOf(text)
        // The first statement decides: a transaction begins with `begin`.
        client ??= (name ? hot : pool).connect()
        return (await client).query({ ...(name && { name }), text, values: [...values] })
      }
      const release = (destroy?: boolean) => {
        client?.then((held) => held.release(destroy)).catch(() => undefined)
      }
      // Without cursors, which are not in use here, this is all of the interface.
      return { query, release } as unknown as PostgresPoolClient
    },
    // Whoever opened the pools ends them: they may be in use without a word to the query builder.
    end: async () => undefined,
  }
}

function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}

function asksForRetry(error: unknown): boolean {
  const state = sqlState(error)
  return state === '40001' || state === '40P01'
}

/** PostgreSQL answered and kept nothing; after any other error nobody knows whether it did. */
export function isRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError
}

/** Refused by a unique index. On a partition its name is made of its columns: match the end. */
export function isDuplicate(error: unknown, index: RegExp): boolean {
  return sqlState(error) === '23505' && index.test(constraintOf(error))
}

function constraintOf(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.constraint ?? '') : ''
}

/** The database was out of reach or out of time, rather than the statement wrong. */
export function isUnavailable(error: unknown): boolean {
  const state = sqlState(error)
  if (state) return /^(08|57P|57014|53|55P03|40)/.test(state)
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return (
    /^(ECONN|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_)/.test(code) ||
    // The last is what a rollback meets on a connection that was lost inside the transaction.
    /Connection terminated|timeout exceeded when trying|is not queryable/.test(error.message)
  )
}
