import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { parseTraceparent, type TraceContext, traceparentOf } from '../tracing/trace-context.ts'

/** Of a caller: what names a request in the logs of others, and nothing that could forge a line of ours. */
const acceptable = /^[\w.:@/+=-]{1,128}$/

/** That of the caller, where it has an acceptable one. */
export function requestIdOf({ 'x-request-id': given }: IncomingHttpHeaders): string {
  return typeof given === 'string' && acceptable.test(given) ? given : randomUUID()
}

/** Each answer names its request, and its trace where the caller has named one. */
export function correlate(server: FastifyInstance): void {
  server.decorateRequest('trace', undefined)
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id)
    const { traceparent } = request.headers
    if (typeof traceparent === 'string') request.trace = parseTraceparent(traceparent)
    if (request.trace) reply.header('traceparent', traceparentOf(request.trace))
    done()
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    trace: TraceContext | undefined
  }
}
