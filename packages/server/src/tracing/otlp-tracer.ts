import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import type { TraceContext } from './trace-context.ts'
import { type Attributes, type Span, type SpanOptions, spanKinds, type Tracer } from './tracer.ts'

interface OtlpOptions {
  /** Of a collector, as in `http://collector:4318`. */
  readonly endpoint: string
  readonly service: string
  readonly version: string
  /** Of the traces that begin here, how many are recorded: 0 to 1. */
  readonly ratio: number
  readonly log: Logger
}

/** What waits is sent after this time, or when so many wait; beyond the last they are dropped. */
const gatherMs = 1000
const maxPerExport = 512
const maxWaiting = 4096
const timeoutMs = 10_000
const failed = 2

/** Sends spans to an OpenTelemetry collector, as JSON over HTTP. Never holds up whoever is traced. */
export function openOtlpTracer(options: OtlpOptions): Tracer {
  const exporter = openExporter(options)
  const isSampled = (parent: TraceContext | undefined) =>
    parent ? parent.isSampled : Math.random() < options.ratio

  return {
    start(name, { kind, parent, links = [], attributes = {} }: SpanOptions): Span {
      const context: TraceContext = {
        traceId: parent?.traceId ?? randomBytes(16).toString('hex'),
        spanId: randomBytes(8).toString('hex'),
        isSampled: isSampled(parent),
      }
      const startedAt = nanoseconds()
      return {
        context,
        end(more = {}, error) {
          if (!context.isSampled) return
          exporter.add({
            traceId: context.traceId,
            spanId: context.spanId,
            ...(parent && { parentSpanId: parent.spanId }),
            name,
            kind: spanKinds[kind],
            startTimeUnixNano: startedAt,
            endTimeUnixNano: nanoseconds(),
            attributes: attributesOf({ ...attributes, ...more }),
            links: links.map(({ traceId, spanId }) => ({ traceId, spanId })),
            status: error === undefined ? {} : { code: failed, message: textOf(error) },
          })
        },
      }
    },
    [Symbol.asyncDispose]: () => exporter.flush(),
  }
}

function openExporter({ endpoint, service, version, log }: OtlpOptions) {
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`
  const resource = {
    attributes: attributesOf({ 'service.name': service, 'service.version': version }),
  }
  let waiting: object[] = []
  let dropped = 0
  let timer: NodeJS.Timeout | undefined
  let sending = Promise.resolve()

  async function send(spans: readonly object[]): Promise<void> {
    const scopeSpans = [{ scope: { name: 'chorale', version }, spans }]
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] }),
        signal: AbortSignal.timeout(timeoutMs),
      })
      await answer.arrayBuffer()
      if (!answer.ok) throw new Error(`The collector answered ${answer.status}.`)
    } catch (error) {
      log.warn(
        { err: error, spans: spans.length, dropped },
        'could not export spans; they are dropped',
      )
    }
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const spans = waiting
    waiting = []
    if (spans.length > 0) sending = sending.then(() => send(spans))
    return sending
  }

  return {
    add(span: object): void {
      if (waiting.length >= maxWaiting) dropped++
      else waiting.push(span)
      if (waiting.length >= maxPerExport) void flush()
      else timer ??= setTimeout(() => void flush(), gatherMs)
    },
    flush,
  }
}

/** Of the wall clock; with a fraction of a millisecond, so that spans of one process keep their order. */
function nanoseconds(): string {
  const ms = performance.timeOrigin + performance.now()
  return `${BigInt(Math.round(ms * 1000)) * 1000n}`
}

function attributesOf(attributes: Attributes) {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { doubleValue: value } : { stringValue: value },
  }))
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
