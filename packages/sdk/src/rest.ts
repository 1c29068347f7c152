import type { DeviceClient, ServerClient } from './clients.ts'
import { ChoraleError, type ErrorBody } from './errors.ts'
import { deviceRoutes, managementRoutes, serverRoutes } from './routes.ts'

interface Address {
  /** The chat API, version included: `https://{appId}.api-{region}.<host>/v3`. */
  readonly baseUrl: string
  /** Needed only where the host name of `baseUrl` does not name the app. */
  readonly appId?: string
  readonly fetch?: typeof fetch
}

export interface RestOptions extends Address {
  readonly apiKey?: string
  readonly management?: { readonly url: string; readonly key: string; readonly secret: string }
}

export interface DeviceOptions extends Address {
  readonly authToken: string
}

/** One function per operation of the contract, for servers that hold an API key. */
export function restClient(options: RestOptions): ServerClient {
  const { baseUrl, apiKey, appId, management } = options
  const chat = { baseUrl, headers: { apikey: apiKey, appId }, fetch: options.fetch }
  const operator = management && {
    baseUrl: management.url,
    headers: { key: management.key, secret: management.secret },
    fetch: options.fetch,
  }
  // Built from the tables that the contract types.
  return {
    ...clientOf(chat, { ...deviceRoutes, ...serverRoutes }),
    ...clientOf(operator, managementRoutes),
  } as ServerClient
}

/** One function per operation that a device may call, as the user of the auth token. */
export function deviceClient({ baseUrl, authToken, appId, fetch }: DeviceOptions): DeviceClient {
  // Built from the table that the contract types.
  return clientOf({ baseUrl, headers: { authToken, appId }, fetch }, deviceRoutes) as DeviceClient
}

interface Door {
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly fetch: typeof fetch | undefined
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
      async (input: AnyInput = {}) => {
        if (!door) throw new TypeError('This call needs the option `management`.')
        return call(door, route, input)
      },
    ]),
  )
}

async function call(door: Door, route: string, input: AnyInput): Promise<unknown> {
  const [method = '', path = ''] = route.split(' ')
  const send = door.fetch ?? fetch
  const response = await send(addressOf(door.baseUrl, path, input), {
    method,
    headers: headersOf(door, input),
    // The service sends nobody elsewhere; followed, a redirect would take the credentials along.
    redirect: 'error',
    ...(input.body !== undefined && { body: JSON.stringify(input.body) }),
    ...(input.form && { body: formOf(input.form) }),
  })
  const answer: unknown = await response.json()
  // Every failure has this body; the contract says so.
  if (!response.ok) throw new ChoraleError(response.status, (answer as ErrorBody).error)
  return answer
}

function addressOf(baseUrl: string, route: string, { params, query }: AnyInput): string {
  const path = route.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(params?.[name])),
  )
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined) continue
    for (const item of [value].flat()) search.append(name, String(item))
  }
  return baseUrl + path + (search.size > 0 ? `?${search}` : '')
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
