import { traceparentOf } from '../tracing/trace-context.ts'
import { tracedCall } from '../tracing/traced-call.ts'
import type { Tracer } from '../tracing/tracer.ts'
import type { Egress } from './egress.ts'

/** Each call of traced work is a span, and the receiver is told of it. */
export function traceEgress(egress: Egress, tracer: Tracer): Egress {
  return {
    agents: egress.agents,
    call: (request) =>
      tracedCall(tracer, request.method ?? 'POST', request.url, (context) =>
        egress.call(
          context
            ? { ...request, headers: { ...request.headers, traceparent: traceparentOf(context) } }
            : request,
        ),
      ),
    [Symbol.asyncDispose]: () => egress[Symbol.asyncDispose](),
  }
}
