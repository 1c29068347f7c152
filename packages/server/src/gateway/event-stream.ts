import type { ServerResponse } from 'node:http'
import { clientFrames, closeCodes } from '@chorale/contract/frames'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Failure } from '../pipeline/failure.ts'
import { parseJson } from '../pipeline/json.ts'
import { readerOf } from '../pipeline/validation.ts'
import { claimOf } from './address.ts'
import { type CloseReason, type Connection, type ConnectionParts, roomIn } from './connection.ts'
import { framed, unframed } from './frames.ts'
import { type AuthFrame, authenticate, type HandshakeParts, letIn } from './handshake.ts'
import { traceConnection, traceRefusal } from './trace.ts'

/** Whose place it is until it has signed in. */
export interface Visit {
  readonly address: string
  readonly cut: () => void
}

const path = '/realtime/events'
const readAuth = readerOf(clientFrames.auth)

/**
 * The frames of a gateway as server-sent events, for networks that let no WebSocket through. The
 * device makes its calls over REST.
 */
export function addEventStream(
  server: FastifyInstance,
  parts: HandshakeParts & { readonly heartbeatMs: number },
  /** Undefined: there is no room. */
  keep: (make: () => Connection, from: Visit) => Connection | undefined,
): void {
  for (const version of ['/v3', '/v3.0']) {
    server.get(version + path, (request, reply) => {
      const frame = authOf(request)
      // From here on the framework writes nothing, and what it had to say would be lost.
      for (const [name, value] of Object.entries(reply.getHeaders())) {
        if (value !== undefined) reply.raw.setHeader(name, value)
      }
      const claim = claimOf(parts.clientAddress, request.raw)
      const visit = { address: claim.address, cut: () => void reply.raw.destroy() }
      const connection = keep(() => new StreamConnection(reply.raw, parts), visit)
      if (!connection) {
        traceRefusal(parts, 'events', claim.address, 'full')
        throw new Failure('ERR_MISSION_FAILED', {}, { headers: { 'Retry-After': '5' } })
      }
      reply.hijack()
      const trace = traceConnection(parts, connection, claim, 'events')
      authenticate({ ...parts, connection, trace }, claim, frame)
        .then((session) => session && letIn(parts, session, frame))
        .catch((error) => {
          parts.log.error(
            { err: error },
            'could not open the session of a device; its connection is closed',
          )
          connection.close('overloaded')
        })
    })
  }
}

/** What the first frame of a WebSocket would say: the token in its header, the rest as JSON. */
function authOf({ headers, query }: FastifyRequest): AuthFrame {
  const [authToken] = [headers.authtoken].flat()
  if (!authToken) throw new Failure('AUTH_ERR_EMPTY_AUTH_TOKEN')
  // The parser of queries makes nothing else.
  const { positions, presence } = query as Record<string, unknown>
  return readAuth({
    type: 'auth',
    authToken,
    ...(positions !== undefined && { positions: parseJson(String(positions), 'positions') }),
    ...(presence !== undefined && { presence: parseJson(String(presence), 'presence') }),
  })
}

class StreamConnection implements Connection {
  readonly closed: Promise<CloseReason | 'client'>
  readonly #response: ServerResponse
  readonly #parts: ConnectionParts
  readonly #alive: NodeJS.Timeout
  #closing = false
  #reason: CloseReason | 'client' = 'client'

  constructor(response: ServerResponse, parts: ConnectionParts & { heartbeatMs: number }) {
    this.#response = response
    this.#parts = parts
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // Some proxies would keep everything until the end, which never comes.
      'x-accel-buffering': 'no',
    })
    this.#alive = setInterval(() => response.write(':\n\n'), parts.heartbeatMs)
    // Writing to a client that has gone is an error; its close is what we act on.
    response.on('error', () => undefined)
    // A device that ends its half of the connection has gone; a write would show it only at the next heartbeat.
    response.socket?.once('end', () => response.destroy())
    const { promise, resolve } = Promise.withResolvers<CloseReason | 'client'>()
    this.closed = promise
    response.once('close', () => {
      clearInterval(this.#alive)
      if (!this.#closing) parts.onClosed('client')
      this.#closing = true
      resolve(this.#reason)
    })
  }

  get isOpen(): boolean {
    return !this.#closing
  }

  /** It has no way to say anything. That nobody reads shows in the queue. */
  get heardAt(): number {
    return performance.now()
  }

  write(frames: Buffer, count: number): void {
    if (this.#closing) return
    if (this.#response.writableLength > this.#parts.queueBytes) {
      this.close('tooSlow')
      return
    }
    for (const text of unframed(frames)) this.#response.write(`data: ${text}\n\n`)
    this.#parts.onSent(count)
  }

  say(text: string): void {
    this.write(framed(text), 1)
  }

  async room(): Promise<void> {
    await roomIn(this, this.#response, this.#parts.queueBytes / 2)
  }

  close(reason: CloseReason): void {
    if (this.#closing) return
    this.#closing = true
    this.#reason = reason
    clearInterval(this.#alive)
    this.#parts.onClosed(reason)
    const said = JSON.stringify({ code: closeCodes[reason], reason })
    this.#response.end(`event: close\ndata: ${said}\n\n`)
    setTimeout(() => this.#response.destroy(), 5000).unref()
  }
}
