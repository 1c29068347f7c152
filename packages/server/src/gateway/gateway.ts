import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { WebSocketServer } from 'ws'
import type { Signals } from '../bus/signals.ts'
import { openFlow } from '../limits/flow.ts'
import type { Epochs } from '../outbox/epochs.ts'
import type { AddressLimits } from '../pipeline/address-limits.ts'
import type { Feed, PresenceStore } from '../realtime/ports.ts'
import { rawAnswerHeaders } from '../web/answer-headers.ts'
import type { ClientAddress } from '../web/client-address.ts'
import { isAllowedOrigin, type Origins } from '../web/origins.ts'
import { isRealtime } from './address.ts'
import type { CallParts } from './calls.ts'
import { startComparing } from './compare.ts'
import { openProfileLoader } from './connected-users.ts'
import type { Connection } from './connection.ts'
import { addEventStream, type Visit } from './event-stream.ts'
import { openGatewayMetrics } from './gateway-metrics.ts'
import { sayGoodbye } from './goodbye.ts'
import { type HandshakeParts, receive } from './handshake.ts'
import { openConversationStreams } from './hub/conversation-streams.ts'
import { openMemberships } from './memberships.ts'
import { openPlaces, type Places, type PlacesOptions } from './places.ts'
import { openPresence } from './presence.ts'
import { startRechecking } from './recheck.ts'
import { type Refusal, traceRefusal } from './trace.ts'
import type { Users } from './users.ts'

export interface GatewayOptions extends PlacesOptions {
  readonly origins: Origins
  readonly connectionsPerUser: number
  readonly connectionsPerApp: number
  readonly queueBytes: number
  readonly heartbeatMs: number
  readonly authTimeoutMs: number
  readonly compareMs: number
  readonly leaseSeconds: number
  readonly typingLimit: number
  readonly receiptsLimit: number
  readonly transientBytesPerUser: number
  readonly transientBytesPerApp: number
  readonly maxPerConversation: number
  readonly maxInAll: number
}

export interface GatewayParts extends Omit<CallParts, 'lines'> {
  readonly options: GatewayOptions
  readonly signals: Signals
  readonly feed: Feed
  readonly users: Users
  readonly presence: PresenceStore
  readonly clientAddress: ClientAddress
  readonly limits: AddressLimits
  readonly registry: Registry
  readonly epochs: Pick<Epochs, 'onBegun'>
  readonly clock: () => number
  readonly log: Logger
}

const maxBytesPerFrame = 131_072
const maxFragments = 16
/** Typing and transient frames of a user, over all their connections to this gateway. */
const signalsASecond = 10

/** Takes the devices of a server that does not listen yet, and lets go of them when it is disposed of. */
export function openGateway(server: FastifyInstance, parts: GatewayParts): AsyncDisposable {
  const { options } = parts
  const places = openPlaces(options)
  const wss = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: maxBytesPerFrame,
    maxFragments: maxFragments,
  })
  const { handshake, compare, recheck, presence } = assemble(parts, places)
  let stopping = false
  const isFull = () => stopping || places.isFull
  const objectionTo = (request: IncomingMessage): Refusal | undefined => {
    if (!isRealtime(request)) return 'notFound'
    if (!isAllowedOrigin(request.headers, options.origins)) return 'origin'
    return isFull() ? 'full' : undefined
  }
  const keep = (connection: Connection, { address, cut }: Visit) => {
    places.enter(connection, address, cut)
    return connection
  }

  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Node takes its own listener away before this call, and without one a reset ends the process.
    socket.on('error', () => socket.destroy())
    const address = parts.clientAddress(request)
    const refusal = objectionTo(request)
    if (refusal) {
      traceRefusal(handshake, 'websocket', address, refusal)
      return refuse(socket, statuses[refusal])
    }
    wss.handleUpgrade(request, socket, head, (ws) => {
      const visit = { address, cut: () => void socket.destroy() }
      keep(receive(handshake, ws, socket, request), visit)
    })
  }
  server.server.on('upgrade', upgrade)
  addEventStream(server, handshake, (make, visit) => (isFull() ? undefined : keep(make(), visit)))
  // Where devices are means nothing any more: they come again, and are told to read anew.
  parts.epochs.onBegun(() => void sayGoodbye([...places.all()]))
  const silence = setInterval(() => closeSilent(places.all(), options), options.heartbeatMs / 4)

  return {
    async [Symbol.asyncDispose]() {
      stopping = true
      clearInterval(silence)
      compare[Symbol.dispose]()
      recheck[Symbol.dispose]()
      await sayGoodbye([...places.all()])
      server.server.off('upgrade', upgrade)
      await presence[Symbol.asyncDispose]()
    },
  }
}

function assemble(parts: GatewayParts, places: Places) {
  const { options, signals, feed, users, log } = parts
  const count = () => ({ sockets: places.size, conversations: streams.size })
  const metrics = openGatewayMetrics(parts.registry, count)
  const streams = openConversationStreams(signals, {
    ...options,
    feed,
    mayPass: fanOutWithin(options),
    coalesceMs: 5,
    holeMs: 20,
    retryMs: 1000,
    onRepair: metrics.repaired,
    onLeft: (followed) => streams.release(followed),
    onError: (error) =>
      log.warn({ err: error }, 'could not pass on the entries of a conversation to its devices'),
  })
  const memberships = openMemberships(feed)
  const entrance = { ...options, feed, memberships, users, signals, streams, log }
  const recheck = startRechecking({ ...parts, compareMs: options.compareMs })
  const people = openProfileLoader({ ...entrance, recheck, onMove: (move) => presence.moved(move) })
  const presence = openPresence({
    store: parts.presence,
    signals,
    log,
    leaseSeconds: options.leaseSeconds,
    here: () => people.all(),
  })
  const compare = startComparing({ ...entrance, people, compareMs: options.compareMs })
  signals.onRestored(() => {
    recheck.all()
    compare.all()
  })
  const handshake: HandshakeParts = {
    ...entrance,
    people,
    signalFlow: openFlow({ perSecond: signalsASecond }),
    lines: log.child({}, { redact: [] }),
    pipeline: parts.pipeline,
    tracer: parts.tracer,
    clientAddress: parts.clientAddress,
    limits: parts.limits,
    places,
    observe: parts.observe,
    onSent: metrics.sent,
    onClosed: metrics.closed,
    onRefused: metrics.refused,
  }
  return { handshake, compare, recheck, presence }
}

/** What a frame that is kept nowhere may cost this gateway: its bytes, once for each listener. */
function fanOutWithin({ transientBytesPerUser, transientBytesPerApp }: GatewayOptions) {
  const ofUsers = openFlow({ perSecond: transientBytesPerUser })
  const ofApps = openFlow({ perSecond: transientBytesPerApp })
  return (appId: string, sender: string, bytes: number) =>
    ofUsers.take(`${appId} ${sender}`, bytes) && ofApps.take(appId, bytes)
}

const statuses: Readonly<Record<Refusal, string>> = {
  notFound: '404 Not Found',
  origin: '403 Forbidden',
  full: '503 Service Unavailable\r\nRetry-After: 5',
}

function refuse(socket: Duplex, status: string): void {
  const headers = `Connection: close\r\nContent-Length: 0\r\n${rawAnswerHeaders}`
  socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\n`)
}

function closeSilent(connections: Iterable<Connection>, { heartbeatMs }: GatewayOptions): void {
  const before = performance.now() - 2 * heartbeatMs
  for (const connection of connections) if (connection.heardAt < before) connection.close('silent')
}
