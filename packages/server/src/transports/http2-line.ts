import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type SecureClientSessionOptions,
} from 'node:http2'

export interface Http2Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** No answer came. `untouched`: the other side has not processed the request, so it may be repeated. */
export class Http2Error extends Error {
  readonly untouched: boolean

  constructor(message: string, untouched: boolean, cause?: unknown) {
    super(message, { cause })
    this.name = 'Http2Error'
    this.untouched = untouched
  }
}

/** One connection, with many requests on it at once. */
export interface Http2Line extends Disposable {
  /** Takes another request. */
  readonly isFree: boolean
  /** Has not heard yet how many requests the other side takes; until then it has one. */
  readonly isYoung: boolean
  /** Takes no more requests, because the other side said so or is gone. */
  readonly isOver: boolean
  request(headers: OutgoingHttpHeaders, body: string, signal: AbortSignal): Promise<Http2Answer>
}

const maxBytes = 65_536
const maxStreams = 500
const pingMs = 2000

/** `onChange` is called whenever there may be room again, here or on a new line. */
export function openHttp2Line(
  origin: string,
  options: SecureClientSessionOptions,
  onChange: () => void,
): Http2Line {
  const session = connect(origin, options)
  let busy = 0
  let most: number | undefined
  let isConnected = false
  let failure: unknown
  let lastProcessed = Number.POSITIVE_INFINITY
  session.on('connect', () => {
    isConnected = true
  })
  session.on('error', (error) => {
    failure = error
  })
  session.on('goaway', (_code, lastStreamId) => {
    lastProcessed = lastStreamId
  })
  session.on('remoteSettings', ({ maxConcurrentStreams = maxStreams }) => {
    most = Math.min(maxConcurrentStreams, maxStreams)
    onChange()
  })
  session.on('close', onChange)

  const isUntouched = (stream: ClientHttp2Stream) =>
    stream.rstCode === constants.NGHTTP2_REFUSED_STREAM ||
    (stream.id === undefined ? isConnected : stream.id > lastProcessed)

  return {
    get isFree() {
      return !session.closed && !session.destroyed && busy < (most ?? 1)
    },
    get isYoung() {
      return most === undefined
    },
    get isOver() {
      return session.closed || session.destroyed
    },
    async request(headers, body, signal) {
      const stream = begin(session, headers, signal)
      busy += 1
      try {
        return await read(stream, body)
      } catch (error) {
        if (signal.aborted) checkPulse(session)
        // The notice of what was processed arrives in the same moment as the end of the streams.
        await new Promise((resolve) => setImmediate(resolve))
        const cause = failure ?? error
        const text = cause instanceof Error ? cause.message : String(cause)
        throw new Http2Error(text, isUntouched(stream), cause)
      } finally {
        busy -= 1
        onChange()
      }
    },
    [Symbol.dispose]: () => session.close(),
  }
}

function begin(session: ClientHttp2Session, headers: OutgoingHttpHeaders, signal: AbortSignal) {
  try {
    return session.request(headers, { endStream: false, signal })
  } catch (error) {
    throw new Http2Error('The connection is closing.', true, error)
  }
}

function read(stream: ClientHttp2Stream, body: string): Promise<Http2Answer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    let headers: IncomingHttpHeaders | undefined
    stream.once('response', (received) => {
      headers = received
    })
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= maxBytes) chunks.push(chunk)
      else stream.destroy(new Error('The answer is too long.'))
    })
    stream.once('end', () => {
      if (headers) resolve(answerOf(headers, Buffer.concat(chunks)))
    })
    stream.on('error', reject)
    stream.once('close', () => reject(new Error('The stream ended without an answer.')))
    stream.end(body)
  })
}

function answerOf(headers: IncomingHttpHeaders, body: Buffer): Http2Answer {
  return {
    status: Number(headers[':status']),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]),
    ),
    body: body.toString('utf8'),
  }
}

/** After a request without an answer: a connection that nobody holds the other end of is given up. */
function checkPulse(session: ClientHttp2Session): void {
  if (session.destroyed) return
  if (session.connecting) {
    session.destroy()
    return
  }
  const timer = setTimeout(() => session.destroy(new Error('The other side is silent.')), pingMs)
  session.ping(() => clearTimeout(timer))
}
