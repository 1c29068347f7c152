import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/** A client that still sends reads no answer whose connection is reset: it may finish this much. */
const maxDiscardedBytes = 1_048_576
const maxDiscardedMs = 2000

/**
 * Whoever is refused before the body has come gets the answer and no further call on that
 * connection. What still arrives is dropped, for a moment, and then cut off.
 */
export function closeUnread(server: FastifyInstance): void {
  server.addHook('onSend', ({ raw }, reply, payload, done) => {
    // An injected request has no parser that would call it complete.
    if (!bringsBody(raw) || raw.complete || raw.readableEnded) return done(null, payload)
    reply.header('Connection', 'close')
    if (typeof payload !== 'string') return done(null, payload)
    reply.header('Content-Length', Buffer.byteLength(payload))
    done(null, Readable.from(thenDiscard(payload, raw), { objectMode: false }))
  })
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
