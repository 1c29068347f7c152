import type { CallOptions, DeviceClient, ServerClient } from './clients.ts'
import { ChoraleError, type ErrorBody, isPassing, isTokenRefused, SessionError } from './errors.ts'
import { deviceRoutes, managementRoutes, serverRoutes } from './routes.ts'

interface Address {
  /** The chat API, version included: `https://{appId}.api-{region}.<host>/v3`. */
  readonly baseUrl: string
  /** Needed only where the host name of `baseUrl` does not name the app. */
  readonly appId?: string
  /** That of the runtime unless given. */
  readonly fetch?: typeof fetch
  /** For an answer; a minute unless said. */
  readonly timeoutMs?: number
  /**
   * How often a call is repeated after a failure that may pass: any that came too fast, and those
   * that read something. None unless said.
   */
  readonly retries?: number
}

/** What `restClient` takes. */
export interface RestOptions extends Address {
  /** A key of the app. It stays on the server. */
  readonly apiKey?: string
  /** For the operations of the management API, which make and change apps. */
  readonly management?: { readonly url: string; readonly key: string; readonly secret: string }
}

/** What `deviceClient` takes. */
export interface DeviceOptions extends Address {
  /**
   * An auth token, or a JWT of an issuer that the app trusts. A function is asked with the first
   * call; and again when its token is refused, after which the call is made once more.
   */
  readonly authToken: string | (() => string | Promise<string>)
}

/** One function per operation of the contract, for servers that hold an API key. */
export function restClient(options: RestOptions): ServerClient {
  const { baseUrl, apiKey, appId, management } = options
  const { fetch, timeoutMs, retries } = options
  const chat = { baseUrl, headers: { apikey: apiKey, appId }, fetch, timeoutMs, retries }
  const operator = management && {
    baseUrl: management.url,
    headers: { key: management.key, secret: management.secret },
    fetch,
    timeoutMs,
    retries,
  }
  // Built from the tables that the contract types.
  return {
    ...clientOf(chat, { ...deviceRoutes, ...serverRoutes }),
    ...clientOf(operator, managementRoutes),
  } as ServerClient
}

/** One function per operation that a device may call, as the user of the auth token. */
export function deviceClient({ authToken, appId, ...options }: DeviceOptions): DeviceClient {
  const { baseUrl, fetch, timeoutMs, retries } = options
  // Built from the table that the contract types.
  const tokens = typeof authToken === 'function' ? openTokens(authToken) : undefined
  const own = { appId, ...(typeof authToken === 'string' && { authToken }) }
  const door = { baseUrl, headers: own, tokens, fetch, timeoutMs, retries }
  return clientOf(door, deviceRoutes) as DeviceClient
}

/** The token that a function has given last. */
interface Tokens {
  /** `refused`: asks for another, unless somebody else has done that already. */
  current(refused?: string): Promise<string>
}

function openTokens(ask: () => string | Promise<string>): Tokens {
  let asked: Promise<string> | undefined
  const askAgain = () => {
    const fresh = (async () => ask())()
    asked = fresh
    // One that fails is asked for again with the next call.
    fresh.catch(() => {
      if (asked === fresh) asked = undefined
    })
    return fresh
  }
  return {
    async current(refused) {
      const token = await (asked ?? askAgain())
      return token === refused ? askAgain() : token
    },
  }
}

interface Door {
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly tokens?: Tokens | undefined
  readonly fetch: typeof fetch | undefined
  readonly timeoutMs: number | undefined
  readonly retries: number | undefined
}

interface AnyInput {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly form?: Readonly<Record<string, string | Blob | readonly string[]>>
  readonly onBehalfOf?: string
}

function clientOf(door: Door | undefined, routes: Readonly<Record<string, string>>): object {
  return Object.fromEntries(
    Object.entries(routes).map(([name, route]) => [
      name,
      async (input: AnyInput = {}, options: CallOptions = {}) => {
        if (!door) throw new TypeError('This call needs the option `management`.')
        return callWithRetries(door, route, input, options)
      },
    ]),
  )
}

const usualTimeoutMs = 60_000
const [firstDelayMs, maxDelayMs] = [250, 8000]

async function callWithRetries(
  door: Door,
  route: string,
  input: AnyInput,
  options: CallOptions,
): Promise<unknown> {
  const { retries = door.retries ?? 0, signal } = options
  for (let attempt = 0; ; attempt++) {
    try {
      return await callWithToken(door, route, input, options)
    } catch (error) {
      const mayRepeat = wasRefusedAsTooFast(error) || (route.startsWith('GET ') && mayPass(error))
      if (attempt >= retries || signal?.aborted || !mayRepeat) throw error
    }
    const windowMs = Math.min(maxDelayMs, firstDelayMs * 2 ** attempt)
    await new Promise((resolve) => setTimeout(resolve, windowMs * (0.5 + Math.random() / 2)))
  }
}

/** With the token that the function has given; once more with another, if that one is refused. */
async function callWithToken(
  door: Door,
  route: string,
  input: AnyInput,
  options: CallOptions,
): Promise<unknown> {
  const { tokens } = door
  if (!tokens) return call(door, route, input, options)
  const by = (authToken: string) =>
    call({ ...door, headers: { ...door.headers, authToken } }, route, input, options)
  const token = await tokens.current()
  try {
    return await by(token)
  } catch (error) {
    if (!(error instanceof ChoraleError) || !isTokenRefused(error.code)) throw error
    return by(await tokens.current(token))
  }
}

function wasRefusedAsTooFast(error: unknown): boolean {
  return error instanceof ChoraleError && error.status === 429
}

/** Also what `fetch` throws: the network may come back. */
function mayPass(error: unknown): boolean {
  return isPassing(error) || !(error instanceof ChoraleError) || error.status > 500
}

async function call(
  door: Door,
  route: string,
  input: AnyInput,
  { timeoutMs = door.timeoutMs ?? usualTimeoutMs, signal }: CallOptions,
): Promise<unknown> {
  const [method = '', path = ''] = route.split(' ')
  const send = door.fetch ?? fetch
  const limit = new AbortController()
  const abort = () => limit.abort()
  const timer = setTimeout(abort, timeoutMs)
  signal?.addEventListener('abort', abort)
  if (signal?.aborted) abort()
  try {
    const response = await send(addressOf(door.baseUrl, path, input), {
      method,
      headers: headersOf(door, input),
      // The service sends nobody elsewhere; followed, a redirect would take the credentials along.
      redirect: 'error',
      signal: limit.signal,
      ...(input.body !== undefined && { body: JSON.stringify(input.body) }),
      ...(input.form && { body: formOf(input.form) }),
    })
    const text = await response.text()
    return response.headers.get('content-type')?.startsWith('application/x-ndjson')
      ? { data: linesIn(text) }
      : answerIn(response.status, text)
  } catch (error) {
    if (limit.signal.aborted) throw new SessionError(signal?.aborted ? 'aborted' : 'timeout')
    throw error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

/** What the service sends as lines: only with success. */
function linesIn(text: string): unknown[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

/** Every answer of the service is JSON, but a proxy in between may have its own pages. */
function answerIn(status: number, text: string): unknown {
  const answer = parse(text)
  if (answer !== undefined && status < 400) return answer
  // Every failure of the service has this body; the contract says so.
  const { error } = (answer ?? {}) as Partial<ErrorBody>
  throw new ChoraleError(status, error ?? strangeAnswer(status, text))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function strangeAnswer(status: number, text: string): ErrorBody['error'] {
  const message = `The answer (HTTP ${status}) is not one of the service.`
  return { code: 'ERR_STRANGE_ANSWER', message, devMessage: text.slice(0, 200) }
}

function addressOf(baseUrl: string, route: string, { params, query }: AnyInput): string {
  const path = route.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(params?.[name])),
  )
  const search = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [value].flat().map((item) => `${name}=${encodeURIComponent(String(item))}`),
  )
  return baseUrl + path + (search.length > 0 ? `?${search.join('&')}` : '')
}

function formOf(parts: NonNullable<AnyInput['form']>): FormData {
  const form = new FormData()
  for (const [name, part] of Object.entries(parts)) {
    for (const one of [part].flat()) form.append(name, one)
  }
  return form
}

function headersOf(door: Door, { headers, body, onBehalfOf }: AnyInput): Record<string, string> {
  const type = body === undefined ? undefined : 'application/json'
  const all = { ...headers, ...door.headers, 'content-type': type, onBehalfOf }
  const given = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return Object.fromEntries(given)
}
