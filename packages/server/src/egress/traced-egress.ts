import { traceparentOf } from '../tracing/trace-context.ts'
import { currentTrace, type Tracer } from '../tracing/tracer.ts'
import type { Egress } from './egress.ts'

/** Each call of traced work is a span, and the receiver is told of it. */
export function traceEgress(egress: Egress, tracer: Tracer): Egress {
  return {
    async call(request) {
      const parent = currentTrace()
      if (!parent) return egress.call(request)
      const method = request.method ?? 'POST'
      const host = URL.parse(request.url)?.host ?? ''
      const attributes = { 'http.request.method': method, 'server.address': host }
      const span = tracer.start(`${method} ${host}`, { kind: 'client', parent, attributes })
      const headers = { ...request.headers, traceparent: traceparentOf(span.context) }
      try {
        const answer = await egress.call({ ...request, headers })
        span.end({ 'http.response.status_code': answer.status })
        return answer
      } catch (error) {
        span.end({}, error)
        throw error
      }
    },
    [Symbol.asyncDispose]: () => egress[Symbol.asyncDispose](),
  }
}
