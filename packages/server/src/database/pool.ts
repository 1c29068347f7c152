import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import { LRUCache } from 'lru-cache'
import pg from 'pg'
import type { ActiveApps } from '../limits/active-apps.ts'
import { connectionListener, resumeTurn } from '../watchdog/turns.ts'
import type { Db } from './db.ts'
import { answeredWithin } from './deadline.ts'
import { asksForRetry, DatabaseSilent, endsConnection } from './errors.ts'
import { nameOf, runPreparedOn } from './prepared.ts'
import { openPrimaryPool, type StandbyGuard } from './primary.ts'
import { openShares, type Share } from './shares.ts'

// Every bigint of ours stays below 2^53: message ids, counters, unix seconds.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

interface Connections {
  readonly db: Db
  /** Runs `work` in one transaction, again if PostgreSQL asked for it (deadlock, serialization). */
  transaction<T>(work: (db: Db) => Promise<T>): Promise<T>
}

export interface Database extends Connections, AsyncDisposable {
  /**
   * The same database. What it holds a connection for counts against the share of this app, and is
   * refused with `ShareUsedUp` when too much waits. Prepared statements outside transactions do not
   * count: those of many calls, of any app, share one on its way.
   */
  of(appId: string): Connections
  /** Like `transaction`, for work of prepared statements alone: their plans are kept there, too. */
  preparedTransaction<T>(work: (db: Db) => Promise<T>): Promise<T>
  /** One round trip; throws when PostgreSQL does not answer. */
  ping(): Promise<void>
  /** How long a statement may take, the wait for its connection included. */
  readonly deadlineMs: number
  /** Of its two pools, the second of which is for prepared statements outside transactions. */
  stats(): { readonly ordinary: PoolStats; readonly prepared: PoolStats }
  /** Called when a connection was lost, in use or not: PostgreSQL may have been replaced. */
  onLost(notify: () => void): void
}

interface PoolStats {
  readonly max: number
  readonly total: number
  readonly idle: number
  readonly waiting: number
}

export interface DatabaseOptions {
  readonly url: string
  readonly poolSize: number
  /** For prepared statements outside transactions; as many again where it is not said. */
  readonly preparedPoolSize?: number
  /** PostgreSQL ends the statement. */
  readonly statementTimeoutMs: number
  /** So much later it has had its chance: the connection is dropped. A second where it is not said. */
  readonly graceMs?: number
  /**
   * A pooler that lends a server connection for one transaction: statements have no names there, and
   * its connections have the settings that `pooler.ts` asks for.
   */
  readonly pooler?: 'none' | 'transaction'
  /** Which apps call; without it, those that hold connections or wait for one. */
  readonly activeApps?: ActiveApps
  /** Undefined: commits need not wait for a standby. */
  readonly standby?: StandbyGuard
  readonly onIdleError: (error: Error) => void
}

const attempts = 3
const usualGraceMs = 1000
const maxConnectMs = 5000
const keepAliveAfterMs = 10_000
/** One more than these is made again when it is wanted. */
const maxAppsKept = 1000

export function openDatabase(options: DatabaseOptions): Database {
  const deadlineMs = deadlineOf(options)
  const lending: Lending = { deadlineMs, keepsNames: options.pooler !== 'transaction' }
  const losses: (() => void)[] = []
  const onLost = () => {
    for (const notify of losses) notify()
  }
  const pool = openPool(options, options.poolSize, {
    settings: [],
    // Longer than the pauses between polls: a connection that is made again costs more than one that is kept.
    idleTimeoutMillis: 60_000,
    onLost,
  })
  // By itself PostgreSQL would plan most prepared statements at every call, because a plan for all
  // partitions looks dear; and planning takes longer than running them.
  const prepared = openPool(options, options.preparedPoolSize ?? options.poolSize, {
    settings: [
      'plan_cache_mode=force_generic_plan',
      // A plan that was made while a table was small is kept while it grows.
      'enable_seqscan=off',
    ],
    // Kept for good: a new one has all its plans before it, and its first send waits for them.
    idleTimeoutMillis: 0,
    onLost,
  })
  const openOn = (ordinary: pg.Pool, share?: Share): Db =>
    new Kysely({
      dialect: new PostgresDialect({ pool: preparing(ordinary, prepared, lending, share) }),
    })
  const connectionsOf = (share?: Share): Connections => {
    const db = openOn(pool, share)
    runPreparedOn(db, (query) => queryOn(prepared, lending, query))
    return { db, transaction: (work) => inTransaction(db, work) }
  }
  const shares = openShares(options.poolSize, options.activeApps)
  const apps = new LRUCache<string, Connections>({
    max: maxAppsKept,
    memoMethod: (appId) => connectionsOf(shares.of(appId)),
  })
  const everyones = connectionsOf()
  const preparedAlone = openOn(prepared)
  return {
    ...everyones,
    of: (appId) => apps.memo(appId),
    preparedTransaction: (work) => inTransaction(preparedAlone, work),
    async ping() {
      await queryOn(pool, lending, { text: 'select 1' })
    },
    deadlineMs,
    stats: () => ({
      ordinary: statsOf(pool, shares.waiting()),
      prepared: statsOf(prepared, 0),
    }),
    onLost: (notify) => void losses.push(notify),
    async [Symbol.asyncDispose]() {
      await Promise.all([everyones.db.destroy(), preparedAlone.destroy()])
      await Promise.all([pool.end(), prepared.end()])
    },
  }
}

function statsOf(pool: pg.Pool, waitingForShare: number): PoolStats {
  return {
    max: pool.options.max,
    total: pool.totalCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount + waitingForShare,
  }
}

async function inTransaction<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      if (attempt === attempts || !asksForRetry(error)) throw error
    }
  }
}

interface PoolOptions {
  readonly settings: readonly string[]
  readonly idleTimeoutMillis: number
  readonly onLost: () => void
}

function openPool(
  options: DatabaseOptions,
  max: number,
  { settings, idleTimeoutMillis, onLost }: PoolOptions,
): pg.Pool {
  const poolSettings = {
    max,
    idleTimeoutMillis,
    connectionTimeoutMillis: Math.min(maxConnectMs, deadlineOf(options)),
    // A peer that is gone without a word is noticed on idle connections, too.
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
    application_name: 'chorale',
    ...(options.pooler !== 'transaction' && startUpParameters(options, settings)),
  }
  const pool = openPrimaryPool(options.url, poolSettings, options.standby)
  pool.on('error', options.onIdleError)
  // A connection that is lost while a call holds it fails that call's statement; unheard, its event
  // would end the process as well.
  pool.on('connect', (client) => client.on('error', onLost))
  return pool
}

function startUpParameters({ statementTimeoutMs }: DatabaseOptions, settings: readonly string[]) {
  return {
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    // Compiling a plan takes longer than any statement of ours should run.
    options: ['jit=off', ...settings].map((setting) => `-c ${setting}`).join(' '),
  }
}

function deadlineOf({ statementTimeoutMs, graceMs = usualGraceMs }: DatabaseOptions): number {
  return statementTimeoutMs + graceMs
}

interface Lending {
  readonly deadlineMs: number
  /** Whether a connection knows at the next statement what the last one has prepared. */
  readonly keepsNames: boolean
}

/**
 * A connection from the pool, once a statement wants one. After an error that it does not survive,
 * or an answer that is overdue, it takes no further statement and is closed with its release.
 */
function borrow({ deadlineMs, keepsNames }: Lending) {
  let client: Promise<pg.PoolClient> | undefined
  let broken = false
  let counted: Share | undefined
  let onHeld: ReturnType<typeof connectionListener>
  let since: number | undefined
  const connect = (pool: pg.Pool, share: Share | undefined) => {
    if (!share) return pool.connect()
    const connection = share.connect(pool, () => !broken)
    counted = share
    onHeld = connectionListener()
    return connection.then((held) => {
      since = performance.now()
      return held
    })
  }
  return {
    async query(pool: pg.Pool, query: pg.QueryConfig, share?: Share): Promise<pg.QueryResult> {
      if (broken) throw new DatabaseSilent()
      client ??= connect(pool, share)
      const sent = keepsNames ? query : unnamed(query)
      try {
        const result = await answeredWithin(
          deadlineMs,
          client.then((held) => ask(held, sent)),
        )
        resumeTurn()
        return result
      } catch (error) {
        broken ||= endsConnection(error)
        throw error
      }
    },
    release(destroy?: boolean): void {
      client
        ?.then((held) => held.release(destroy || broken))
        .catch(() => undefined)
        .finally(() => {
          const heldMs = since === undefined ? 0 : performance.now() - since
          counted?.leave(heldMs)
          onHeld?.(heldMs)
        })
    },
  }
}

/**
 * With a callback: what the driver links its own promises with is kept alive by the first of them that
 * reaches the old space, so half of what every later query has made was copied there.
 */
function ask(client: pg.PoolClient, query: pg.QueryConfig): Promise<pg.QueryResult> {
  const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>()
  void client.query(query, (error, result) => {
    if (error) reject(error)
    else resolve(result)
  })
  return promise
}

function unnamed({ name: _, ...query }: pg.QueryConfig): pg.QueryConfig {
  return query
}

/** The pool's own way gives up the connection, and all it has planned, when a statement is refused. */
async function queryOn(
  pool: pg.Pool,
  lending: Lending,
  query: pg.QueryConfig,
): Promise<pg.QueryResult> {
  const connection = borrow(lending)
  try {
    return await connection.query(pool, query)
  } finally {
    connection.release()
  }
}

/**
 * Such statements are prepared under their name, and outside a transaction have connections of
 * their own; every other statement is planned for its values.
 */
function preparing(
  pool: pg.Pool,
  prepared: pg.Pool,
  lending: Lending,
  share: Share | undefined,
): PostgresPool {
  return {
    options: pool.options,
    async connect() {
      const connection = borrow(lending)
      const query = (text: string, values: readonly unknown[]) => {
        const name = nameOf(text)
        // The first statement decides: a transaction begins with `begin`.
        const wanted = { ...(name && { name }), text, values: [...values] }
        return name ? connection.query(prepared, wanted) : connection.query(pool, wanted, share)
      }
      const { release } = connection
      // Without cursors, which are not in use here, this is all of the interface.
      return { query, release } as unknown as PostgresPoolClient
    },
    // Whoever opened the pools ends them: they may be in use without a word to the query builder.
    end: async () => undefined,
  }
}
