import { me } from '@chorale/contract/users'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Signals } from '../bus/signals.ts'
import { type Config, originsOf } from '../config.ts'
import type { Database } from '../database/pool.ts'
import { checkDevicesWith } from '../domain/apps/index.ts'
import { openFeed, type People } from '../domain/conversations/index.ts'
import { openTelling } from '../domain/messages/index.ts'
import type { Judge } from '../domain/moderation/index.ts'
import { openPresenceStore, openRelationships } from '../domain/users/index.ts'
import { type GatewayOptions, openGateway } from '../gateway/gateway.ts'
import type { Users } from '../gateway/users.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { CommitHook } from '../outbox/committed.ts'
import type { Epochs } from '../outbox/epochs.ts'
import { openTransactions } from '../outbox/unit-of-work.ts'
import type { AddressLimits } from '../pipeline/address-limits.ts'
import type { Credentials, Identify } from '../pipeline/caller.ts'
import type { Pipeline } from '../pipeline/pipeline.ts'
import type { RateLimit } from '../pipeline/rate-limit.ts'
import type { Vault } from '../vault/vault.ts'
import type { ClientAddress } from '../web/client-address.ts'

export interface GatewayAssembly {
  readonly config: Config
  readonly database: Database
  /** For what is done behind the calls. */
  readonly background: Database
  readonly signals: Signals
  readonly vault: Vault
  readonly identify: Identify
  readonly people: (appId: string) => People
  readonly judge: Judge
  readonly pipeline: Pipeline
  readonly clientAddress: ClientAddress
  readonly rateLimit: RateLimit
  readonly limits: AddressLimits
  readonly metrics: Metrics
  readonly onCommit: CommitHook
  readonly epochs: Epochs
  readonly clock: () => number
  readonly log: Logger
}

/** The gateway, with what it needs of the domain. */
export function openConfiguredGateway(
  server: FastifyInstance,
  parts: GatewayAssembly,
): AsyncDisposable {
  const { config, database, background, onCommit, clock, metrics } = parts
  return openGateway(server, {
    ...parts,
    options: optionsOf(config),
    feed: openFeed(database.db, parts.people, parts.epochs),
    users: usersWith(parts),
    presence: openPresenceStore({
      database: background,
      transactions: openTransactions({ begin: background.transaction, onCommit, clock }),
      mostOnline: config.PRESENCE_LIMIT,
    }),
    registry: metrics.registry,
    observe: metrics.observe,
  })
}

function usersWith(parts: GatewayAssembly): Users {
  const { background, vault, identify, rateLimit, people, judge, clock } = parts
  const { db } = parts.database
  const { relationshipsOf, printSelf } = openRelationships(db)
  const mayTell = openTelling({ db, people, judge })
  const deviceOf = async (credentials: Credentials) => {
    const caller = await identify(credentials, me.getMe, {})
    if (caller.kind !== 'device') throw new Error('A device was taken for something else.')
    return caller
  }
  return {
    async authenticate(credentials) {
      const { app, actor, expiresAt } = await deviceOf(credentials)
      return { appId: app.appId, uid: actor.uid, app, expiresAt }
    },
    async requireMayTell(credentials, to, data) {
      const { app, actor } = await deviceOf(credentials)
      await mayTell({ app, actor, to, data })
    },
    areValid: checkDevicesWith(background.db, vault, clock),
    self: printSelf,
    relationshipsOf,
    charge: ({ app, uid }) => void rateLimit.take(app, 'device', uid),
  }
}

function optionsOf(config: Config): GatewayOptions {
  return {
    origins: originsOf(config),
    connections: config.GATEWAY_CONNECTIONS,
    pending: config.GATEWAY_PENDING,
    pendingPerAddress: config.GATEWAY_PENDING_PER_ADDRESS,
    pendingBytes: config.GATEWAY_PENDING_BYTES,
    connectionsPerUser: config.GATEWAY_CONNECTIONS_PER_USER,
    connectionsPerApp: config.GATEWAY_CONNECTIONS_PER_APP,
    queueBytes: config.GATEWAY_QUEUE_BYTES,
    heartbeatMs: config.GATEWAY_HEARTBEAT_MS,
    compareMs: config.GATEWAY_COMPARE_MS,
    leaseSeconds: config.GATEWAY_LEASE_SECONDS,
    typingLimit: config.TYPING_LIMIT,
    receiptsLimit: config.RECEIPTS_LIMIT,
    transientBytesPerUser: config.TRANSIENT_BYTES_PER_USER,
    transientBytesPerApp: config.TRANSIENT_BYTES_PER_APP,
    authTimeoutMs: config.GATEWAY_AUTH_TIMEOUT_MS,
    mostPerConversation: 500,
    mostInAll: 5000,
  }
}
