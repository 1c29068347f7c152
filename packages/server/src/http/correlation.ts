import { randomFillSync } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { parseTraceparent, type TraceContext, traceparentOf } from '../tracing/trace-context.ts'
import type { Span, Tracer } from '../tracing/tracer.ts'

/** Of a caller: what names a request in the logs of others, and nothing that could forge a line of ours. */
const acceptable = /^[\w.:@/+=-]{1,128}$/

const idBytes = 16
/** Drawn for many ids at once. */
const random = Buffer.alloc(256 * idBytes)
let used = random.length

export function newRequestId(): string {
  if (used === random.length) {
    randomFillSync(random)
    used = 0
  }
  used += idBytes
  return random.toString('hex', used - idBytes, used)
}

/** That of the caller, where it has an acceptable one. */
export function requestIdOf({ 'x-request-id': given }: IncomingHttpHeaders): string {
  return typeof given === 'string' && acceptable.test(given) ? given : newRequestId()
}

type Begin = (request: FastifyRequest, reply: FastifyReply) => void

/** Each answer names its request, and its trace where the caller has named one or a tracer begins one. */
export function openCorrelation(server: FastifyInstance, tracer: Tracer | undefined): Begin {
  server.decorateRequest('span', undefined)
  if (tracer) endSpans(server)
  server.decorateRequest('trace', undefined)
  return (request, reply) => {
    reply.header('x-request-id', request.id)
    const { traceparent } = request.headers
    if (typeof traceparent === 'string') request.trace = parseTraceparent(traceparent)
    if (tracer) {
      request.span = startSpan(tracer, request)
      request.trace = request.span?.context ?? request.trace
    }
    if (request.trace) reply.header('traceparent', traceparentOf(request.trace))
  }
}

function startSpan(tracer: Tracer, request: FastifyRequest): Span | undefined {
  const { operation } = request.routeOptions.config
  const attributes = { 'chorale.request.id': request.id }
  return operation && tracer.start(operation, { kind: 'server', parent: request.trace, attributes })
}

function endSpans(server: FastifyInstance): void {
  server.addHook('onResponse', ({ span, refusal }, { statusCode }, done) => {
    const code = refusal ? { 'chorale.code': refusal } : {}
    const status = { 'http.response.status_code': statusCode, ...code }
    span?.end(status, statusCode >= 500 ? (refusal ?? statusCode) : undefined)
    done()
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    trace: TraceContext | undefined
    /** Undefined: calls are not traced. */
    span: Span | undefined
  }
}
