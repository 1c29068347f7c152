import { AsyncLocalStorage } from 'node:async_hooks'
import { parseTraceparent, type TraceContext } from './trace-context.ts'

/** As OTLP numbers them. */
export const spanKinds = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const

export type Attributes = Readonly<Record<string, string | number>>

export interface SpanOptions {
  readonly kind: keyof typeof spanKinds
  /** Undefined: the span begins a trace. */
  readonly parent?: TraceContext | undefined
  readonly links?: readonly TraceContext[]
  readonly attributes?: Attributes
}

export interface Span {
  readonly context: TraceContext
  /** Once. With an error, the span has failed. */
  end(attributes?: Attributes, error?: unknown): void
}

/** Records spans. A process that is not configured to trace has none. */
export interface Tracer extends AsyncDisposable {
  start(name: string, options: SpanOptions): Span
}

const current = new AsyncLocalStorage<TraceContext>()

/** The span for which the code that asks runs; undefined: none, or one that is not recorded. */
export function currentTrace(): TraceContext | undefined {
  return current.getStore()
}

/** Spans that `work` starts become children of this one. */
export function inTrace<T>({ context }: Span, work: () => T): T {
  return context.isSampled ? current.run(context, work) : work()
}

/** Whether what arrived with these is traced: the first is the parent, all are linked if there are several. */
function continued(
  traces: readonly (string | null | undefined)[],
): Pick<SpanOptions, 'parent' | 'links'> | undefined {
  const contexts = traces.flatMap((text) => (text ? (parseTraceparent(text) ?? []) : []))
  const [parent] = contexts
  if (!parent) return undefined
  return contexts.length > 1 ? { parent, links: contexts } : { parent }
}

/** Runs the work as a span of its own, if there is something to continue. */
export async function traced<T>(
  tracer: Tracer | undefined,
  name: string,
  kind: SpanOptions['kind'],
  traces: readonly (string | null | undefined)[],
  work: () => Promise<T>,
): Promise<T> {
  const from = tracer && continued(traces)
  if (!from) return work()
  const span = tracer.start(name, { kind, ...from })
  try {
    const result = await inTrace(span, work)
    span.end(typeof result === 'string' ? { 'chorale.outcome': result } : {})
    return result
  } catch (error) {
    span.end({}, error)
    throw error
  }
}
