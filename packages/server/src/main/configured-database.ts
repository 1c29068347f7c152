import type { Logger } from 'pino'
import { type Config, ConfigError } from '../config.ts'
import { type Database, openDatabase } from '../database/pool.ts'
import { missingPoolerSettings } from '../database/pooler.ts'
import type { StandbyGuard } from '../database/primary.ts'
import { guardStandby } from '../database/standby.ts'
import type { ActiveApps } from '../limits/active-apps.ts'

export function openConfiguredDatabase(
  config: Config,
  log: Logger,
  { activeApps, standby }: { activeApps?: ActiveApps; standby?: StandbyGuard | undefined } = {},
): Database {
  return openDatabase({
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL_SIZE,
    preparedPoolSize: config.DATABASE_STATEMENT_POOL_SIZE,
    statementTimeoutMs: config.DATABASE_STATEMENT_TIMEOUT_MS,
    graceMs: config.DATABASE_GRACE_MS,
    pooler: config.DATABASE_POOLER,
    ...(activeApps && { activeApps }),
    ...(standby && { standby }),
    onIdleError: (error) => log.warn({ err: error }, 'an idle database connection was lost'),
  })
}

/** Undefined: the operator asks for none. */
export function openStandbyGuard(config: Config, log: Logger) {
  return config.DATABASE_STANDBY === 'required'
    ? guardStandby(sessionUrlOf(config), log)
    : undefined
}

/** Connections of their own for what no call waits for: neither takes them from the other. */
export function openBackgroundDatabase(
  config: Config,
  log: Logger,
  standby: StandbyGuard | undefined,
): Database {
  const size = config.DATABASE_BACKGROUND_POOL_SIZE
  const ofRunners = 2
  return openConfiguredDatabase(
    { ...config, DATABASE_POOL_SIZE: size - ofRunners, DATABASE_STATEMENT_POOL_SIZE: ofRunners },
    log,
    { standby },
  )
}

/** Throws where connections of the pooler lack what others ask for when they start. */
export async function requirePoolerSettings(config: Config, { db }: Database): Promise<void> {
  const missing = await missingPoolerSettings(db, config.DATABASE_STATEMENT_TIMEOUT_MS)
  if (missing.length === 0) return
  throw new ConfigError(
    'Connections of the pooler lack settings. Run this in the database, then RECONNECT in the ' +
      `console of PgBouncer (docs/operate/pooler.md):\n${missing.join('\n')}`,
  )
}

/** A connection that stays the same, past the pooler: locks of a session are held on it. */
export async function openSessionDatabase(config: Config, log: Logger): Promise<Database> {
  const session = openConfiguredDatabase(
    {
      ...config,
      DATABASE_URL: sessionUrlOf(config),
      DATABASE_POOLER: 'none',
      DATABASE_POOL_SIZE: 1,
      DATABASE_STATEMENT_POOL_SIZE: 1,
    },
    log,
  )
  // A wrong address stops the start, rather than every listener later on.
  await session.ping()
  return session
}

export function sessionUrlOf({ DATABASE_SESSION_URL, DATABASE_URL }: Config): string {
  return DATABASE_SESSION_URL || DATABASE_URL
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
