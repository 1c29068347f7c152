import { me } from '@chorale/contract/users'
import type { FastifyInstance } from 'fastify'
import { type Config, originsOf } from '../../config.ts'
import { checkDevicesWith } from '../../domain/apps/index.ts'
import { openSignalCheck } from '../../domain/messages/index.ts'
import { openPresenceStore } from '../../domain/users/index.ts'
import { openRelationships } from '../../domain/users/relationships/index.ts'
import { openFeed } from '../../domain/views/index.ts'
import { type GatewayOptions, openGateway } from '../../gateway/gateway.ts'
import type { Users } from '../../gateway/users.ts'
import { openTransactions } from '../../outbox/unit-of-work.ts'
import type { Credentials } from '../../pipeline/caller.ts'
import { appIsHeld } from '../../pipeline/failure.ts'
import type { Calls } from './calls.ts'
import type { Core } from './core.ts'
import { buildCallServer, type HttpListener } from './listener.ts'

/** Takes devices on this server, which does not listen yet. */
export function startGateway(core: Core, calls: Calls, server: FastifyInstance): AsyncDisposable {
  const { config, foreground, background, onCommit, clock, metrics, epochs, log } = core
  return openGateway(server, {
    options: optionsOf(config),
    feed: openFeed(foreground.db, calls.people, epochs, core.files.addresses),
    users: usersWith(core, calls),
    presence: openPresenceStore({
      database: background,
      transactions: openTransactions({ begin: background.transaction, onCommit, clock }),
      maxOnline: config.PRESENCE_LIMIT,
    }),
    pipeline: calls.pipeline,
    tracer: core.tracer,
    signals: core.signals,
    clientAddress: calls.clientAddress,
    limits: calls.limits,
    registry: metrics.registry,
    observe: metrics.observe,
    epochs,
    clock,
    log,
  })
}

/** A listener without routes of the API, where the gateway does not share that of the API. */
export function buildGatewayListener(core: Core, calls: Calls): HttpListener {
  const { HOST, PORT, GATEWAY_PORT } = core.config
  return {
    name: 'gateway',
    server: buildCallServer(core, calls, 'none'),
    host: HOST,
    port: GATEWAY_PORT || PORT,
  }
}

function usersWith(core: Core, { identify, people, rateLimit }: Calls): Users {
  const { foreground, background, vault, checkRules, clock } = core
  const { db } = foreground
  const { relationshipsOf, serialiseSelf } = openRelationships(db)
  const checkSignal = openSignalCheck({ db, people, checkRules })
  const deviceOf = async (credentials: Credentials) => {
    const caller = await identify(credentials, me.getMe, {})
    if (caller.kind !== 'device') throw new Error('A device was taken for something else.')
    return caller
  }
  return {
    async authenticate(credentials) {
      const { app, actor, expiresAt } = await deviceOf(credentials)
      if (app.held) throw appIsHeld()
      return { appId: app.appId, uid: actor.uid, app, expiresAt }
    },
    async requireMaySignal(credentials, to, data) {
      const { app, actor } = await deviceOf(credentials)
      await checkSignal({ app, actor, to, data })
    },
    standingsOf: checkDevicesWith(background.db, vault, clock),
    self: serialiseSelf,
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
    maxPerConversation: 500,
    maxInAll: 5000,
  }
}
