import { setTimeout as after } from 'node:timers/promises'
import {
  type Authenticator,
  connect,
  type NatsConnection,
  type NodeConnectionOptions,
  type TlsOptions,
} from '@nats-io/transport-node'
import type { Logger } from 'pino'
import { NatsAway } from './errors.ts'

/** NATS. It may be away for minutes: the truth is in PostgreSQL, and REST goes on without it. */
export interface Bus extends AsyncDisposable {
  /** Undefined while NATS is away. */
  readonly connection: NatsConnection | undefined
  /** Throws while there is no connection. */
  ping(): Promise<void>
  /** Called at every connection, the first one and those after an absence. */
  onConnected(connected: (connection: NatsConnection) => void): void
}

/** Where NATS is, and how we show who we are; the authenticator is asked at every connection. */
export interface NatsAccess {
  readonly servers: readonly string[]
  readonly authenticator?: Authenticator
  readonly tls?: TlsOptions
}

const retryMs = 1000
const closeMs = 1000
const how = {
  name: 'chorale',
  timeout: 5000,
  reconnectTimeWait: 500,
  reconnectJitter: 500,
  // Otherwise every publication takes a picture of the stack, in case it fails.
  noAsyncTraces: true,
  // A process tells itself what it publishes: `signals.ts`.
  noEcho: true,
}
/** Credentials that are refused now may be good in a moment: they are being changed. */
const forever = { maxReconnectAttempts: -1, ignoreAuthErrorAbort: true }

/** For a command: rejects when NATS does not answer. */
export async function connectNow(
  at: string | NatsAccess,
): Promise<AsyncDisposable & { readonly connection: NatsConnection }> {
  const connection = await connect({ ...how, ...optionsOf(at), reconnect: false })
  return { connection, [Symbol.asyncDispose]: () => connection.close() }
}

/** Returns at once: the connection is made behind it, and made again whenever it is lost. */
export function connectBus(at: string | NatsAccess, log: Logger): Bus {
  const closing = new AbortController()
  let connection: NatsConnection | undefined
  let connected = false
  const listeners: ((connection: NatsConnection) => void)[] = []
  const work = stayConnected()

  async function stayConnected(): Promise<void> {
    while (!closing.signal.aborted) {
      connection = await makeConnection(at, log, closing.signal)
      if (!connection) return
      connected = true
      for (const notify of listeners) notify(connection)
      // Ends when NATS has closed the connection for good, or we have.
      for await (const { type } of connection.status()) {
        if (type !== 'disconnect' && type !== 'reconnect') continue
        connected = type === 'reconnect'
        if (connected) log.info('NATS is back')
        else log.warn('NATS is away: events wait in the database')
        if (connected) for (const notify of listeners) notify(connection)
      }
      connected = false
    }
  }

  return {
    get connection() {
      return connected ? connection : undefined
    },
    onConnected(notify) {
      listeners.push(notify)
      if (connection && connected) notify(connection)
    },
    async ping() {
      if (!connection || !connected) throw new NatsAway()
      await withinMs(connection.flush(), 2000)
    },
    async [Symbol.asyncDispose]() {
      closing.abort()
      // The last acknowledgements and signals. One that cannot be sent is known to be lost sometimes.
      if (connected) await withinMs(connection?.flush(), closeMs).catch(() => undefined)
      await connection?.close()
      await work
    },
  }
}

/** Tries until it succeeds; undefined when the process closes first. */
async function makeConnection(
  at: string | NatsAccess,
  log: Logger,
  closing: AbortSignal,
): Promise<NatsConnection | undefined> {
  let warned = false
  while (!closing.aborted) {
    try {
      const made = await connect({ ...how, ...optionsOf(at), ...forever })
      if (!closing.aborted) return made
      await made.close()
    } catch (error) {
      if (!warned)
        log.warn({ err: error }, 'NATS is away: events wait in the database; check NATS_URL')
      warned = true
      // Rejects when the process closes, which the condition of the loop sees.
      await after(retryMs, undefined, { signal: closing }).catch(() => undefined)
    }
  }
  return undefined
}

function optionsOf(at: string | NatsAccess): NodeConnectionOptions {
  return typeof at === 'string' ? { servers: at } : { ...at, servers: [...at.servers] }
}

async function withinMs(work: Promise<unknown> | undefined, ms: number): Promise<void> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('NATS did not answer in time.')), ms).unref()
  })
  await Promise.race([work, late])
}
