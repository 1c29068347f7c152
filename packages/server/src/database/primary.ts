import pg from 'pg'
import { DatabaseIsStandby, isDatabaseAway } from './errors.ts'

// Of the servers that an address names, one takes writes. It is looked for whenever a connection is made.

/** Whether a commit waits for a standby, as last seen. */
export interface StandbyGuard {
  /** Throws `NoSynchronousStandby` while it does not. */
  require(): void
  /** Looks on this connection, and throws the same. */
  look(client: pg.ClientBase): Promise<void>
}

type Settings = Omit<pg.ClientConfig, 'connectionString'>

/**
 * An address for each server of `postgres://user@a:5432,b:5432/name`, which is how libpq writes
 * several.
 */
export function addressesIn(url: string): readonly string[] {
  const [, before = '', servers = '', behind = ''] =
    /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*,[^/?]*)(.*)$/.exec(url) ?? []
  return servers === '' ? [url] : servers.split(',').map((server) => before + server + behind)
}

/**
 * Connections to whichever server takes writes. Throws `DatabaseIsStandby` where none of them does, and
 * what the guard of the standby throws.
 */
export function openPrimaryPool(
  url: string,
  settings: Omit<pg.PoolConfig, 'connectionString'>,
  standby?: StandbyGuard,
) {
  const addresses = addressesIn(url)
  let wanted = 0
  const pool = new pg.Pool({
    ...settings,
    Client: class extends pg.Client {
      // The pool gives its own settings; its types do not say so.
      constructor(given: Settings = {}) {
        super({ ...given, connectionString: addresses[wanted] })
      }
    },
    async onConnect(client) {
      await requirePrimary(client)
      await standby?.look(client)
    },
  })
  const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>
  return Object.assign(pool, {
    async connect(): Promise<pg.PoolClient> {
      standby?.require()
      for (let tried = 1; ; tried++) {
        const at = wanted
        try {
          return await connect()
        } catch (error) {
          if (!isDatabaseAway(error)) throw error
          // Another call may have gone on already.
          if (wanted === at) wanted = (at + 1) % addresses.length
          if (tried >= addresses.length) throw error
        }
      }
    },
  })
}

/** One connection, for migrations. */
export async function connectToPrimary(url: string, settings: Settings = {}): Promise<pg.Client> {
  const addresses = addressesIn(url)
  for (const [nth, connectionString] of addresses.entries()) {
    const client = new pg.Client({ ...settings, connectionString })
    try {
      await client.connect()
      await requirePrimary(client)
      return client
    } catch (error) {
      await client.end()
      if (nth === addresses.length - 1 || !isDatabaseAway(error)) throw error
    }
  }
  throw new Error('An address names at least one server.')
}

/** A standby may be behind: what it shows would be out of date. */
async function requirePrimary(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby')
  if (rows[0]?.standby) throw new DatabaseIsStandby()
}
