import type { TraceContext } from './trace-context.ts'
import { currentTrace, type Tracer } from './tracer.ts'

/**
 * Makes a call over HTTP, as a span if the work that makes it is traced. `call` gets the context of
 * that span.
 */
export async function tracedCall<T extends { readonly status: number }>(
  tracer: Tracer | undefined,
  method: string,
  url: string,
  call: (context: TraceContext | undefined) => Promise<T>,
): Promise<T> {
  const parent = currentTrace()
  if (!tracer || !parent) return call(undefined)
  const host = URL.parse(url)?.host ?? ''
  const attributes = { 'http.request.method': method, 'server.address': host }
  const span = tracer.start(`${method} ${host}`, { kind: 'client', parent, attributes })
  try {
    const answer = await call(span.context)
    span.end({ 'http.response.status_code': answer.status })
    return answer
  } catch (error) {
    span.end({}, error)
    throw error
  }
}
