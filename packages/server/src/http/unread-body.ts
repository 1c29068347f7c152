import type { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** A client that still sends reads no answer whose connection is reset: it may finish this much. */
const maxDiscardedBytes = 1_048_576
const maxDiscardedMs = 2000

/**
 * Whoever is refused before the body has come gets the answer and no further call on that
 * connection. What still arrives is dropped, for a moment, and then cut off.
 */
export function closeUnread(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): unknown {
  // An injected request has no parser that would call it complete.
  if (raw.complete || raw.readableEnded || !bringsBody(raw)) return payload
  reply.header('connection', 'close')
  if (typeof payload !== 'string') return payload
  reply.header('content-length', Buffer.byteLength(payload))
  return Readable.from(thenDiscard(payload, raw), { objectMode: false })
}

function bringsBody({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length']) > 0 || headers['transfer-encoding'] !== undefined
}

async function* thenDiscard(payload: string, request: IncomingMessage) {
  yield Buffer.from(payload)
  await discard(request)
}

function discard(request: IncomingMessage): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const late = setTimeout(resolve, maxDiscardedMs)
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxDiscardedBytes) resolve()
  })
  for (const end of ['end', 'close', 'error']) request.once(end, () => resolve())
  return promise.finally(() => clearTimeout(late))
}

/** Whole requests must come within this. Of those that are streamed, something must come in it. */
const requestTimeoutMs = 30_000

/** Files, which may take long on a slow line: each of their chunks is passed on as it comes. */
const streamed = /^(?:PUT \/files\/|POST \/v3(?:\.0)?\/messages)/

/**
 * In place of the limit of Node, which knows only one for all requests. It is there from the first
 * moment of a request, whoever answers it.
 */
export function limitRequestTime({ server }: FastifyInstance): void {
  let arrived: IncomingMessage[] = []
  /** Most bodies come with their headers: nobody need watch those. */
  const watchUnfinished = () => {
    const requests = arrived
    arrived = []
    for (const request of requests) {
      if (!request.complete && !request.destroyed) watchTime(server, request)
    }
  }
  const note = (request: IncomingMessage) => {
    if (arrived.push(request) === 1) setImmediate(watchUnfinished)
  }
  for (const event of ['request', 'checkContinue', 'checkExpectation']) {
    server.prependListener(event, note)
  }
}

function watchTime(server: EventEmitter, request: IncomingMessage): void {
  const { socket } = request
  const isFile = streamed.test(`${request.method} ${request.url}`) && isStreamed(request)
  let { bytesRead } = socket
  const look = () => {
    const isMoving = isFile && socket.bytesRead > bytesRead
    bytesRead = socket.bytesRead
    if (request.complete) return
    if (isMoving) timer.refresh()
    else server.emit('clientError', new RequestTimeout(), socket)
  }
  const timer = setTimeout(look, requestTimeoutMs)
  request.once('close', () => clearTimeout(timer))
  request.once('end', () => clearTimeout(timer))
}

function isStreamed({ method, headers }: IncomingMessage): boolean {
  return method === 'PUT' || /^multipart\/form-data/i.test(headers['content-type'] ?? '')
}

/** As Node would report it. */
class RequestTimeout extends Error {
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT'
}
