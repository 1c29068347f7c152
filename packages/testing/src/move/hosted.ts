import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Stands for a hosted service: another install, of which only what is published is seen. */
export interface Hosted extends AsyncDisposable {
  /** Up to the version. */
  readonly url: string
  /** Calls that were answered, by path without ids. */
  readonly answered: ReadonlyMap<string, number>
  /** Of each kind so many have met one. */
  readonly faults: Readonly<Record<Fault, number>>
  /** Calls that the install itself did not answer. */
  readonly broken: readonly string[]
}

type Fault = 'limited' | 'failed' | 'cut'

interface Options {
  /** `http://host:port` of the install. */
  readonly origin: string
  /** No page is longer, whatever is asked for. */
  readonly pageSize: number
  /** Every so many calls one meets a fault; 0: none does. */
  readonly every: Readonly<Record<Fault, number>>
  /** More calls than these in a second are refused. */
  readonly perSecond?: number
}

const id = '[^/]+'
const published: readonly (readonly [string, RegExp])[] = [
  ['GET', /^\/(?:users|groups|roles|messages|conversations)$/],
  ['GET', new RegExp(`^/users/${id}(?:/auth_tokens|/friends|/blockedusers|/conversation)?$`)],
  ['GET', new RegExp(`^/groups/${id}(?:/members|/bannedusers|/conversation)?$`)],
  ['POST', new RegExp(`^/groups/${id}/members$`)],
  ['DELETE', new RegExp(`^/groups/${id}/members/${id}$`)],
  ['POST', new RegExp(`^/groups/${id}/bannedusers/${id}$`)],
  ['GET', new RegExp(`^/messages/${id}(?:/reactions)?$`)],
  ['POST', new RegExp(`^/messages/${id}/reactions/${id}$`)],
  ['DELETE', new RegExp(`^/messages/${id}/reactions/${id}$`)],
  ['PUT', new RegExp(`^/messages/${id}$`)],
  ['DELETE', new RegExp(`^/messages/${id}$`)],
  ['POST', /^\/data_import\/(?:users|groups|members|messages)$/],
]

export async function startHosted(options: Options): Promise<Hosted> {
  const { origin, pageSize, every, perSecond = Infinity } = options
  const answered = new Map<string, number>()
  const faults = { limited: 0, failed: 0, cut: 0 }
  const broken: string[] = []
  const cursors = new Map<string, string>()
  let calls = 0
  let second = 0
  let inSecond = 0
  const isTooMany = () => {
    const now = Math.floor(Date.now() / 1000)
    if (now !== second) inSecond = 0
    second = now
    inSecond += 1
    return inSecond > perSecond
  }
  const faultOf = (): Fault | undefined => {
    calls += 1
    if (isTooMany()) {
      faults.limited += 1
      return 'limited'
    }
    const met = (['limited', 'failed', 'cut'] as const).find(
      (fault) => every[fault] > 0 && calls % every[fault] === 0,
    )
    if (met) faults[met] += 1
    return met
  }
  const server = createServer((request, response) => {
    const fault = faultOf()
    if (fault) return meet(fault, response)
    forward(origin, pageSize, cursors, request).then(
      ({ status, text, path }) => {
        answered.set(path, (answered.get(path) ?? 0) + 1)
        response.writeHead(status, { 'content-type': 'application/json' }).end(text)
      },
      (error: unknown) => {
        broken.push(`${request.method} ${request.url}: ${error}`)
        response.destroy()
      },
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an address.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v3`,
    answered,
    faults,
    broken,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function meet(fault: Fault, response: ServerResponse): void {
  if (fault === 'cut') response.writeHead(200, { 'content-length': '1000' }).write('{"data":[')
  if (fault === 'cut') response.destroy()
  else if (fault === 'failed') response.writeHead(500).end('Oops')
  else
    response
      .writeHead(429, { 'retry-after': '1' })
      .end('{"error":{"code":"ERR_TOO_MANY_REQUESTS"}}')
}

const cursor = /("cursor":\{[^{}]*?),"next":"([^"]*)"/

/** Pages have numbers, however many there are: where the one before ended is known from its answer. */
async function forward(
  origin: string,
  pageSize: number,
  cursors: Map<string, string>,
  request: IncomingMessage,
) {
  const url = new URL(request.url ?? '', origin)
  const path = url.pathname.replace(/^\/v3/, '')
  const name = path.replace(/^(\/[^/]+)\/[^/]+/, '$1/*')
  if (!published.some(([method, form]) => method === request.method && form.test(path))) {
    return { status: 404, text: '{"error":{"code":"ERR_NOT_FOUND"}}', path: name }
  }
  for (const size of ['perPage', 'limit']) {
    const asked = Number(url.searchParams.get(size) ?? pageSize)
    if (url.searchParams.has(size)) url.searchParams.set(size, String(Math.min(asked, pageSize)))
  }
  const page = Number(url.searchParams.get('page') ?? 1)
  url.searchParams.delete('page')
  const list = `${url.search} ${path} ${request.headers.onbehalfof ?? ''}`
  const reached = cursors.get(`${page} ${list}`)
  if (reached !== undefined) url.searchParams.set('cursor', reached)
  else if (page > 1) url.searchParams.set('page', String(page))
  const headers = Object.fromEntries(
    ['appid', 'apikey', 'onbehalfof', 'content-type'].flatMap((header) => {
      const value = request.headers[header]
      return typeof value === 'string' ? [[header, value]] : []
    }),
  )
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const hasBody = request.method !== 'GET'
  const answer = await fetch(url, {
    method: request.method ?? 'GET',
    headers,
    ...(hasBody && { body: Buffer.concat(chunks) }),
  })
  const text = await answer.text()
  const next = cursor.exec(text)?.[2]
  if (next !== undefined) cursors.set(`${page + 1} ${list}`, next)
  // No cursor is published.
  return { status: answer.status, text: text.replace(cursor, '$1'), path: name }
}
