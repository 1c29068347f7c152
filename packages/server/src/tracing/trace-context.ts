/** Names a span, as W3C Trace Context does: who continues the trace makes it the parent of its own. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  /** Whether the spans of this trace are recorded. */
  readonly isSampled: boolean
}

/** Versions after 00 may add fields behind these. */
const traceparent =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.{0,200})?$/

/** Undefined: it is not a `traceparent`. */
export function parseTraceparent(text: string): TraceContext | undefined {
  const [, version, traceId, spanId, flags, rest] = traceparent.exec(text) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  if (version === '00' && rest !== undefined) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export function traceparentOf({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}
