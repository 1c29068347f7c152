import type { Egress } from '../egress/egress.ts'
import type { Tracer } from '../tracing/tracer.ts'
import { type FcmCredentials, openFcmTokens } from './fcm-tokens.ts'
import type { Http2Answer } from './http2-line.ts'
import { Http2Error } from './http2-line.ts'
import { openHttp2Pool } from './http2-pool.ts'
import { later, type PushOutcome, parseJson, retryAfterMs } from './outcome.ts'
import { Refusal } from './refusal.ts'

export type { FcmCredentials } from './fcm-tokens.ts'

export interface FcmMessage {
  readonly to: { readonly token: string } | { readonly topic: string }
  readonly data: Readonly<Record<string, string>>
  /** Shown by the system itself; without it, the app decides. */
  readonly notification?: { readonly title: string; readonly body: string; readonly image?: string }
  /** A later message with the same key takes the place of an earlier one. */
  readonly collapseKey?: string
  /** The same for what is shown already. */
  readonly tag?: string
  readonly priority: 'normal' | 'high'
  readonly ttlSeconds: number
  readonly apns?: Readonly<Record<string, unknown>>
  readonly webpush?: Readonly<Record<string, unknown>>
}

/** Firebase Cloud Messaging, HTTP v1. */
export interface Fcm extends Disposable {
  send(credentials: FcmCredentials, message: FcmMessage): Promise<PushOutcome>
}

export interface FcmOptions {
  /** Makes the calls for access tokens. */
  readonly egress: Egress
  readonly timeoutMs: number
  readonly origin?: string
  readonly tokenUri?: string
  /** Certificates to trust instead of the well-known ones. */
  readonly ca?: string
  /** In ms. */
  readonly clock?: () => number
  readonly tracer?: Tracer | undefined
}

const maxBytes = 4096
/** What the provider asks for where it names no time itself. */
const quotaMs = 60_000

export function openFcm({ ca, clock = Date.now, ...options }: FcmOptions): Fcm {
  const { origin = 'https://fcm.googleapis.com', timeoutMs, tracer } = options
  const tokens = openFcmTokens({ ...options, clock })
  const pool = openHttp2Pool(origin, { timeoutMs, tracer, ...(ca && { ca }) })

  const post = async (credentials: FcmCredentials, body: string) => {
    const path = `/v1/projects/${encodeURIComponent(credentials.projectId)}/messages:send`
    for (let renewed = false; ; renewed = true) {
      const token = await tokens.of(credentials)
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const answer = await pool.post(path, headers, body)
      const { code } = errorOf(answer)
      if (answer.status !== 401 || code === 'THIRD_PARTY_AUTH_ERROR' || renewed) return answer
      await tokens.drop(credentials, token)
    }
  }

  return {
    async send(credentials, message) {
      const body = JSON.stringify({ message: bodyOf(message) })
      if (sizeOf(message) > maxBytes) return { is: 'refused', reason: 'MESSAGE_TOO_BIG' }
      try {
        return outcomeOf(await post(credentials, body))
      } catch (error) {
        if (error instanceof Refusal) return { is: 'refused', reason: error.message }
        if (error instanceof Http2Error) return later(error.message)
        throw error
      }
    },
    [Symbol.dispose]: () => pool[Symbol.dispose](),
  }
}

function bodyOf(message: FcmMessage) {
  const { to, data, notification, collapseKey, tag, priority, ttlSeconds, apns, webpush } = message
  return {
    ...to,
    data,
    ...(notification && { notification }),
    android: {
      priority,
      ttl: `${ttlSeconds}s`,
      ...(collapseKey !== undefined && { collapse_key: collapseKey }),
      ...(notification && tag !== undefined && { notification: { tag } }),
    },
    ...(apns && { apns }),
    ...(webpush && { webpush }),
  }
}

/** What counts is what the device gets: keys and values of the data, and what is shown. */
function sizeOf({ data, notification = { title: '', body: '' } }: FcmMessage): number {
  const texts = [...Object.entries(data).flat(), ...Object.values(notification)]
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}

interface FcmError {
  readonly message?: string
  readonly status?: string
  readonly details?: readonly {
    readonly errorCode?: string
    readonly fieldViolations?: readonly { readonly field?: string }[]
  }[]
}

function errorOf({ body }: Http2Answer) {
  // Every field is looked at as if it might be missing.
  const { error = {} } = (parseJson(body) ?? {}) as { error?: FcmError }
  const details = Array.isArray(error.details) ? error.details : []
  const named = details.find(({ errorCode }) => errorCode !== undefined)?.errorCode
  const fields = details.flatMap(({ fieldViolations = [] }) => fieldViolations)
  const aboutToken =
    fields.some(({ field }) => field === 'message.token') ||
    (fields.length === 0 && /registration token/i.test(error.message ?? ''))
  return { code: named ?? error.status, text: error.message ?? '', aboutToken }
}

function outcomeOf(answer: Http2Answer): PushOutcome {
  if (answer.status === 200) {
    // Every field is looked at as if it might be missing.
    const { name } = (parseJson(answer.body) ?? {}) as { name?: string }
    return { is: 'accepted', ...(name && { id: name }) }
  }
  const { code, text, aboutToken } = errorOf(answer)
  const reason = code ?? `status ${answer.status}`
  const wait = retryAfterMs(answer.headers)
  if (code === 'UNREGISTERED') return { is: 'gone', reason }
  if (code === 'INVALID_ARGUMENT' && aboutToken) return { is: 'gone', reason }
  if (answer.status === 429) return later(reason, wait ?? quotaMs)
  if (answer.status === 401 && code !== 'THIRD_PARTY_AUTH_ERROR') return later(reason, wait)
  if (answer.status >= 500) return later(reason, wait)
  // A sender that does not match may be our mistake: tokens are not thrown away for it.
  return { is: 'refused', reason: text ? `${reason}: ${text}` : reason }
}
