import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { type Database, openDatabase } from '../database/pool.ts'

export function openConfiguredDatabase(config: Config, log: Logger): Database {
  return openDatabase({
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL_SIZE,
    preparedPoolSize: config.DATABASE_HOT_POOL_SIZE,
    statementTimeoutMs: config.DATABASE_STATEMENT_TIMEOUT_MS,
    graceMs: config.DATABASE_GRACE_MS,
    onIdleError: (error) => log.warn({ err: error }, 'an idle database connection was lost'),
  })
}

/** Connections of their own for what no call waits for: neither takes them from the other. */
export function openBackgroundDatabase(config: Config, log: Logger): Database {
  const size = config.DATABASE_BACKGROUND_POOL_SIZE
  return openConfiguredDatabase(
    { ...config, DATABASE_POOL_SIZE: size, DATABASE_HOT_POOL_SIZE: size },
    log,
  )
}
