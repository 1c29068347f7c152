import type { FastifyInstance } from 'fastify'
import { isAllowedOrigin, type Origins } from '../web/origins.ts'

const preflight = {
  'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
  // Of a device. The keys of an app belong on its server, so no page can show one.
  'Access-Control-Allow-Headers': 'appId, authToken, Content-Type, X-Request-Id, traceparent',
  'Access-Control-Max-Age': '7200',
}
const exposed =
  'X-Request-Id, traceparent, Retry-After, X-Rate-Limit, X-Rate-Limit-Remaining, X-Rate-Limit-Reset'

/** Tells browsers which pages may read the answers. */
export function answerOrigins(server: FastifyInstance, allowed: Origins): void {
  server.addHook('onRequest', ({ headers, method }, reply, done) => {
    if (!allowed.includes('*')) reply.header('Vary', 'Origin')
    if (headers.origin === undefined || !isAllowedOrigin(headers, allowed)) return done()
    reply.header('Access-Control-Allow-Origin', allowed.includes('*') ? '*' : headers.origin)
    reply.header('Access-Control-Expose-Headers', exposed)
    const asksFirst = method === 'OPTIONS' && headers['access-control-request-method']
    if (asksFirst) void reply.code(204).headers(preflight).send()
    else done()
  })
}
