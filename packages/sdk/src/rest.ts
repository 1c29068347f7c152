import { type Api, allOperations } from '@chorale/contract/api'
import type { ErrorBody } from '@chorale/contract/errors'
import type { Client, Operation } from '@chorale/contract/operation'

export interface RestOptions {
  /** The chat API, version included: `https://{appId}.api-{region}.<host>/v3`. */
  readonly baseUrl: string
  readonly apiKey?: string
  /** Of a user, on their device; instead of `apiKey`. */
  readonly authToken?: string
  /** Needed only where the host name of `baseUrl` does not name the app. */
  readonly appId?: string
  readonly management?: { readonly url: string; readonly key: string; readonly secret: string }
  readonly fetch?: typeof fetch
}

/** An answer other than 200. */
export class ChoraleError extends Error {
  readonly status: number
  readonly code: string
  readonly devMessage: string
  readonly details: ErrorBody['error']['details']

  constructor(status: number, { error }: ErrorBody) {
    super(error.message)
    this.name = 'ChoraleError'
    this.status = status
    this.code = error.code
    this.devMessage = error.devMessage
    this.details = error.details
  }
}

interface AnyInput {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly onBehalfOf?: string
}

/** One function per operation of the contract, for servers that hold an API key. */
export function restClient(options: RestOptions): Client<Api> {
  const client: Record<string, unknown> = {}
  for (const [name, operation] of allOperations) {
    client[name] = (input: AnyInput = {}) => call(options, operation, input)
  }
  // Built from the same table that types it.
  return client as Client<Api>
}

async function call(options: RestOptions, operation: Operation, input: AnyInput): Promise<unknown> {
  const send = options.fetch ?? fetch
  const response = await send(addressOf(options, operation, input), {
    method: operation.method,
    headers: headersOf(options, operation, input),
    ...(input.body !== undefined && { body: JSON.stringify(input.body) }),
  })
  const answer: unknown = await response.json()
  // Every failure has this body; the contract says so.
  if (!response.ok) throw new ChoraleError(response.status, answer as ErrorBody)
  return answer
}

function addressOf({ baseUrl, management }: RestOptions, operation: Operation, input: AnyInput) {
  const base = operation.requires === 'management' ? management?.url : baseUrl
  if (base === undefined) throw new TypeError('This call needs the option `management`.')
  const path = operation.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(input.params?.[name])),
  )
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value === undefined) continue
    for (const item of [value].flat()) query.append(name, String(item))
  }
  return base + path + (query.size > 0 ? `?${query}` : '')
}

function headersOf(options: RestOptions, operation: Operation, input: AnyInput) {
  const management = operation.requires === 'management' ? options.management : undefined
  return {
    ...(input.body !== undefined && { 'content-type': 'application/json' }),
    ...(management && { key: management.key, secret: management.secret }),
    ...(!management && options.apiKey !== undefined && { apikey: options.apiKey }),
    ...(!management && options.authToken !== undefined && { authToken: options.authToken }),
    ...(!management && options.appId !== undefined && { appId: options.appId }),
    ...(input.onBehalfOf !== undefined && { onBehalfOf: input.onBehalfOf }),
  }
}
