import { type ClientRequest, type IncomingMessage, request as openHttp } from 'node:http'
import { request as openHttps } from 'node:https'
import { isIPv6, type LookupFunction } from 'node:net'
import type { Agents } from './agents.ts'
import { EgressError } from './egress-error.ts'
import { hostOf } from './urls.ts'

const maxHeaderBytes = 16_384
/** The connection and the length of a body are nobody's business but this client's. */
const ownHeaders =
  /^(?:host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/i

export interface EgressRequest {
  readonly url: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** For all of it: the name, the connection, the last byte of the answer. */
  readonly timeoutMs: number
  /** Of the answer's body; what is longer is cut, and the connection closed. */
  readonly maxBytes: number
  /** What shares a limit and a breaker, as in `app/webhook`. */
  readonly target: string
}

export interface EgressAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly truncated: boolean
  readonly tookMs: number
}

export interface Exchange {
  readonly url: URL
  /** Checked already; the connection goes to one of them. */
  readonly addresses: readonly string[]
  readonly agents: Agents
  readonly signal: AbortSignal
}

/** One request and its answer. A redirect is an answer like any other. */
export async function exchange(request: EgressRequest, how: Exchange): Promise<EgressAnswer> {
  const started = performance.now()
  const response = await begin(request, how)
  const { body, truncated } = await read(response, request.maxBytes)
  return {
    status: response.statusCode ?? 0,
    headers: plainHeaders(response),
    body,
    truncated,
    tookMs: Math.round(performance.now() - started),
  }
}

async function begin(request: EgressRequest, how: Exchange): Promise<IncomingMessage> {
  for (;;) {
    const sent = send(request, how)
    try {
      return await answerTo(sent)
    } catch (error) {
      // The other side closed an idle connection in the moment it was to be used again.
      const stale = sent.reusedSocket && codeOf(error) === 'ECONNRESET' && !how.signal.aborted
      if (!stale) throw asEgressError(error)
    }
  }
}

function send(request: EgressRequest, { url, addresses, agents, signal }: Exchange): ClientRequest {
  const secure = url.protocol === 'https:'
  const open = secure ? openHttps : openHttp
  const body = Buffer.from(request.body ?? '')
  const given = Object.entries(request.headers).filter(([name]) => !ownHeaders.test(name))
  try {
    const sent = open({
      host: hostOf(url),
      port: url.port || (secure ? 443 : 80),
      path: `${url.pathname}${url.search}`,
      method: request.method,
      headers: {
        ...Object.fromEntries(given),
        host: url.host,
        ...(body.length > 0 && { 'content-length': body.length }),
      },
      agent: secure ? agents.https : agents.http,
      lookup: pinned(addresses),
      maxHeaderSize: maxHeaderBytes,
      signal,
    })
    return sent.end(body)
  } catch (error) {
    // Node refuses a header or a path that would break the protocol.
    throw new EgressError(
      'refused-url',
      'A header or the path holds what HTTP cannot carry.',
      error,
    )
  }
}

function pinned(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  return (_host, { all }, done) => {
    const [first] = found
    if (all) done(null, found)
    else if (first) done(null, first.address, first.family)
  }
}

function answerTo(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once('response', resolve)
    // Stays: an error after the answer has begun is told by the answer as well.
    sent.on('error', reject)
  })
}

/** Ends after `maxBytes`, or when the signal cuts the connection. */
async function read(response: IncomingMessage, maxBytes: number) {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk.subarray(0, maxBytes - bytes))
      bytes += chunk.length
      // Leaving the loop destroys the connection, so nothing more is read.
      if (bytes > maxBytes) break
    }
  } catch (error) {
    throw asEgressError(error)
  }
  return { body: Buffer.concat(chunks).toString('utf8'), truncated: bytes > maxBytes }
}

function plainHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  )
}

function asEgressError(error: unknown): EgressError {
  if (error instanceof EgressError) return error
  const code = codeOf(error)
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new EgressError('too-large', 'The headers of the answer are too large.', error)
  }
  return new EgressError('connection', `The connection failed (${code}).`, error)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'no code'
}
