import type { OutgoingHttpHeaders, SecureClientSessionOptions } from 'node:http2'
import { within } from '../egress/deadline.ts'
import { tracedCall } from '../tracing/traced-call.ts'
import type { Tracer } from '../tracing/tracer.ts'
import { type Http2Answer, Http2Error, type Http2Line, openHttp2Line } from './http2-line.ts'

/** The connections to one provider with one identity. */
export interface Http2Pool extends Disposable {
  /** Any answer is an answer; everything else is an `Http2Error`. */
  post(path: string, headers: OutgoingHttpHeaders, body: string): Promise<Http2Answer>
}

export interface Http2PoolOptions extends SecureClientSessionOptions {
  /** For all of it, the wait for a connection included. */
  readonly timeoutMs: number
  readonly tracer?: Tracer | undefined
}

const maxLines = 3
const maxAttempts = 3

/**
 * Requests share a connection; a further one is opened when it has no room. What a provider that
 * closes a connection has not processed goes over another.
 */
export function openHttp2Pool(
  origin: string,
  { timeoutMs, tracer, ...tls }: Http2PoolOptions,
): Http2Pool {
  const lines = new Set<Http2Line>()
  const waiting: (() => void)[] = []
  const next = () => waiting.shift()?.()

  const findLine = () => {
    for (const line of lines) if (line.isOver) lines.delete(line)
    const known = [...lines]
    const free = known.find(({ isFree }) => isFree)
    // A line that is being opened may have room for all.
    if (free || known.length >= maxLines || known.some(({ isYoung }) => isYoung)) return free
    const fresh = openHttp2Line(origin, tls, next)
    lines.add(fresh)
    return fresh
  }

  const post = async (headers: OutgoingHttpHeaders, body: string, signal: AbortSignal) => {
    for (let attempt = 1; ; ) {
      const line = findLine()
      if (!line) {
        await new Promise<void>((resolve) => waiting.push(resolve))
        // Whoever cannot use the turn any more passes it on.
        if (signal.aborted) next()
        signal.throwIfAborted()
        continue
      }
      try {
        const answering = line.request(headers, body, signal)
        // A line that is new, or allows more than before, has room for several who wait.
        if (line.isFree) next()
        return await answering
      } catch (error) {
        const again = error instanceof Http2Error && error.untouched && attempt < maxAttempts
        if (!again || signal.aborted) throw error
        attempt += 1
      }
    }
  }

  return {
    post: (path, headers, body) =>
      tracedCall(tracer, 'POST', origin, () =>
        within(timeoutMs, overdue, (signal) =>
          post({ ...headers, ':method': 'POST', ':path': path }, body, signal),
        ),
      ),
    [Symbol.dispose]() {
      for (const line of lines) line[Symbol.dispose]()
    },
  }
}

function overdue(ms: number): Http2Error {
  return new Http2Error(`There was no answer within ${ms} ms.`, false)
}
