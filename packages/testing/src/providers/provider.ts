import {
  constants,
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { makeAuthority } from '../network/certificates.ts'

export interface Asked {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** The name in the certificate that the caller showed, if our authority signed it. */
  readonly certificate: string | undefined
}

export interface Answered {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** What happens to a request instead of being looked at. */
export type Fault =
  | Answered
  /** The connection breaks, with everything on it. */
  | 'reset'
  /** The same, when the request has been looked at. */
  | 'reset-behind'
  /** The connection is closed in good order, and this request was not processed. */
  | 'goaway'
  /** The same, in anger: what is under way on it ends as well. */
  | 'goaway-error'
  | 'silence'
  /** No answer, although the request was looked at. */
  | 'silence-behind'

/** What all of our stand-ins for providers are: TLS, HTTP/2 or 1.1, and faults on demand. */
export interface Provider extends AsyncDisposable {
  readonly origin: string
  readonly authority: ReturnType<typeof makeAuthority>
  /** How many requests have come, and over how many connections. */
  readonly requests: number
  readonly connections: number
  /** Lets callers have so many requests at once on a connection. */
  allow(streams: number): void
  /** One for each of the next requests to a path that begins so; a promise: not before it is kept. */
  fail(path: string, ...faults: readonly (Fault | Promise<Fault>)[]): void
  /** One for whichever of all requests to come this says. */
  failNowAndThen(draw: (asked: Asked) => Fault | undefined): void
}

export async function startProvider(
  answer: (asked: Asked) => Answered | Promise<Answered>,
  maxConcurrentStreams = 1000,
): Promise<Provider> {
  const authority = makeAuthority()
  const sockets = new Set<Socket>()
  const sessions = new Set<ServerHttp2Session>()
  const faults: { readonly path: string; readonly fault: Fault | Promise<Fault> }[] = []
  let draw: (asked: Asked) => Fault | undefined = () => undefined
  let requests = 0
  let connections = 0
  const server = createSecureServer(
    {
      ...authority.sign('provider', '127.0.0.1'),
      ca: authority.ca,
      requestCert: true,
      rejectUnauthorized: false,
      allowHTTP1: true,
      settings: { maxConcurrentStreams },
    },
    (request, response) => void serve(request, response),
  )
  server.on('secureConnection', (socket) => {
    connections += 1
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
  })
  server.on('sessionError', () => {})

  // The socket of a request is a stand-in that ends only the request.
  const cut = (port: number | undefined) =>
    [...sockets].find(({ remotePort }) => remotePort === port)?.destroy()
  const serve = async (request: Http2ServerRequest, response: Http2ServerResponse) => {
    requests += 1
    const asked = await read(request).catch(() => undefined)
    if (!asked) return
    const at = faults.findIndex(({ path }) => asked.path.startsWith(path))
    const fault = await (at < 0 ? draw(asked) : faults.splice(at, 1)[0]?.fault)
    if (fault === 'reset-behind' || fault === 'silence-behind') await answer(asked)
    if (fault === 'silence' || fault === 'silence-behind') return
    if (fault === 'reset' || fault === 'reset-behind') cut(request.socket.remotePort)
    // HTTP/1.1 has no other way to say it.
    else if (!request.stream && typeof fault === 'string') cut(request.socket.remotePort)
    else if (fault === 'goaway') sendAway(request, constants.NGHTTP2_NO_ERROR)
    else if (fault === 'goaway-error') sendAway(request, constants.NGHTTP2_ENHANCE_YOUR_CALM)
    else reply(response, fault ?? (await answer(asked)))
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo
  return {
    origin: `https://127.0.0.1:${port}`,
    authority,
    get requests() {
      return requests
    },
    get connections() {
      return connections
    },
    allow(streams) {
      for (const session of sessions) session.settings({ maxConcurrentStreams: streams })
    },
    fail(path, ...wanted) {
      faults.push(...wanted.map((fault) => ({ path, fault })))
    },
    failNowAndThen(wanted) {
      draw = wanted
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** The last one that was processed is the one before: a client's requests have odd numbers. */
function sendAway({ stream }: Http2ServerRequest, code: number): void {
  stream.session?.goaway(code, (stream.id ?? 0) - 2)
}

async function read(request: Http2ServerRequest): Promise<Asked> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
  return {
    path: request.url,
    headers: Object.fromEntries(headers),
    body: Buffer.concat(chunks),
    certificate: certificateOf(request),
  }
}

function certificateOf(request: Http2ServerRequest): string | undefined {
  const socket = request.stream?.session?.socket
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined
  const { subject } = socket.getPeerCertificate()
  return [subject?.CN].flat()[0]
}

function reply(response: Http2ServerResponse, { status, headers = {}, body }: Answered): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(body === undefined ? '' : JSON.stringify(body))
}
