import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { errors } from '@chorale/contract/errors'
import { expect } from 'vitest'

/** A request as no client library would send it: any host name, any header twice, any bytes. */
export interface WireRequest {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly body?: string | Buffer | undefined
  /** For the whole answer. */
  readonly deadlineMs?: number
}

export interface WireAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Short of the time that a test has. */
const patienceMs = 50_000

/** Rejects when there is no whole answer in time. */
export function send(origin: string, wanted: WireRequest): Promise<WireAnswer> {
  const { method = 'GET', path, headers = {}, body, deadlineMs = patienceMs } = wanted
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      hostname,
      port,
      method,
      path,
      headers: { ...(body !== undefined && headersOf(body)), ...headers },
      signal: AbortSignal.timeout(deadlineMs),
    })
    request.on('error', reject)
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      )
    })
    request.end(body)
  })
}

/** Node leaves the length out with DELETE. */
function headersOf(body: string | Buffer) {
  return { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
}

/** Writes bytes to a socket and reads what comes back until the server closes it. */
export function exchange(
  origin: string,
  bytes: string | Buffer,
  timeout = patienceMs,
): Promise<WireAnswer> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), timeout })
    const chunks: Buffer[] = []
    socket.on('connect', () => socket.write(bytes))
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('timeout', () => socket.destroy(new Error('The server did not close in time.')))
    socket.on('error', reject)
    socket.on('end', () => {
      socket.end()
      resolve(readAnswer(Buffer.concat(chunks).toString('utf8')))
    })
  })
}

function readAnswer(text: string): WireAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return {
    status: Number(first.split(' ')[1]),
    headers: Object.fromEntries(headers),
    text: rest.join('\r\n\r\n'),
  }
}

interface ErrorOnTheWire {
  readonly code: string
  readonly message: string
  readonly devMessage: string
  readonly source: string
  readonly details?: Readonly<Record<string, readonly string[]>>
}

/** The error of an answer, after everything that every error promises has been looked at. */
export function errorOf({ status, headers, text }: WireAnswer): ErrorOnTheWire {
  expect(headers['content-type']).toMatch(/^application\/json\b/)
  expect(headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/)
  const { error, ...beside } = JSON.parse(text) as { error: ErrorOnTheWire }
  expect(beside).toEqual({})
  const { details, ...rest } = error
  expect(rest).toEqual({
    code: expect.any(String),
    message: expect.any(String),
    devMessage: expect.any(String),
    source: 'chat-api',
  })
  const known: Readonly<Record<string, { readonly status: number }>> = errors
  expect(known[error.code]?.status).toBe(status)
  for (const objections of Object.values(details ?? {})) {
    expect(objections).toEqual(objections.map(() => expect.any(String)))
  }
  return error
}
