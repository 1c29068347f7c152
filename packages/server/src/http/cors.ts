import type { FastifyReply, FastifyRequest } from 'fastify'
import { isAllowedOrigin, type Origins } from '../web/origins.ts'

const preflight = {
  'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
  // Of a device. The keys of an app belong on its server, so no page can show one.
  'Access-Control-Allow-Headers': 'appId, authToken, Content-Type, X-Request-Id, traceparent',
  'Access-Control-Max-Age': '7200',
}
const exposed =
  'X-Request-Id, traceparent, Retry-After, X-Rate-Limit, X-Rate-Limit-Remaining, X-Rate-Limit-Reset'

/**
 * Tells browsers which pages may read the answers. Whether that was all: a browser has asked what it may
 * send, and has its answer.
 */
export function answerOrigins(
  { headers, method }: FastifyRequest,
  reply: FastifyReply,
  allowed: Origins,
): boolean {
  if (!allowed.includes('*')) reply.header('vary', 'Origin')
  if (headers.origin === undefined || !isAllowedOrigin(headers, allowed)) return false
  reply.header('access-control-allow-origin', allowed.includes('*') ? '*' : headers.origin)
  reply.header('access-control-expose-headers', exposed)
  const asksFirst = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
  if (asksFirst) void reply.code(204).headers(preflight).send()
  return asksFirst
}
