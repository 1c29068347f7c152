import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { type Database, openDatabase } from '../database/pool.ts'

export function openConfiguredDatabase(config: Config, log: Logger): Database {
  return openDatabase({
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL_SIZE,
    preparedPoolSize: config.DATABASE_STATEMENT_POOL_SIZE,
    statementTimeoutMs: config.DATABASE_STATEMENT_TIMEOUT_MS,
    graceMs: config.DATABASE_GRACE_MS,
    onIdleError: (error) => log.warn({ err: error }, 'an idle database connection was lost'),
  })
}

/** Connections of their own for what no call waits for: neither takes them from the other. */
export function openBackgroundDatabase(config: Config, log: Logger): Database {
  const size = config.DATABASE_BACKGROUND_POOL_SIZE
  const ofRunners = 2
  return openConfiguredDatabase(
    { ...config, DATABASE_POOL_SIZE: size - ofRunners, DATABASE_STATEMENT_POOL_SIZE: ofRunners },
    log,
  )
}

/** For one of several processes: its share of the connections, and never too few to work. */
export function shareOfDatabase(config: Config, processes: number): Config {
  const share = (of: number, atLeast: number) =>
    processes === 1 ? of : Math.max(Math.min(of, atLeast), Math.ceil(of / processes))
  return {
    ...config,
    DATABASE_POOL_SIZE: share(config.DATABASE_POOL_SIZE, 3),
    DATABASE_STATEMENT_POOL_SIZE: share(config.DATABASE_STATEMENT_POOL_SIZE, 4),
    DATABASE_BACKGROUND_POOL_SIZE: share(config.DATABASE_BACKGROUND_POOL_SIZE, 5),
  }
}
