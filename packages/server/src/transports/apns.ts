import { importPKCS8, SignJWT } from 'jose'
import { LRUCache } from 'lru-cache'
import type { Tracer } from '../tracing/tracer.ts'
import { type Http2Answer, Http2Error } from './http2-line.ts'
import { type Http2Pool, openHttp2Pool } from './http2-pool.ts'
import { later, type PushOutcome, parseJson, retryAfterMs, shorten } from './outcome.ts'
import { Refusal } from './refusal.ts'
import { fingerprintOf, openTokenCache } from './token-cache.ts'

export interface ApnsKey {
  readonly kind: 'key'
  readonly teamId: string
  readonly keyId: string
  /** The p8 file. */
  readonly key: string
}
export interface ApnsCertificate {
  readonly kind: 'certificate'
  /** The p12 file. */
  readonly bundle: Buffer
  readonly password?: string
}
export type ApnsCredentials = ApnsKey | ApnsCertificate

export interface ApnsNotification {
  readonly deviceToken: string
  /** The app's bundle id; what calls need is added here. */
  readonly topic: string
  readonly pushType: 'alert' | 'background' | 'voip'
  /** A UUID, the same for every attempt. */
  readonly id: string
  readonly payload: Readonly<Record<string, unknown>>
  /** A later notification with the same id takes the place of an earlier one. */
  readonly collapseId?: string
  /** In unix seconds; 0: now or never. */
  readonly expiresAt: number
}

/** The Apple Push Notification service. */
export interface Apns extends Disposable {
  send(
    credentials: ApnsCredentials,
    environment: 'production' | 'sandbox',
    notification: ApnsNotification,
  ): Promise<PushOutcome>
}

export interface ApnsOptions {
  readonly timeoutMs: number
  readonly production?: string
  readonly sandbox?: string
  /** Certificates to trust instead of the well-known ones. */
  readonly ca?: string
  /** In ms. */
  readonly clock?: () => number
  readonly tracer?: Tracer | undefined
}

/** Taken for an hour, and not to be renewed more often than every 20 minutes. */
const renewAfterMs = 40 * 60_000
const maxPools = 500
const idlePoolMs = 30 * 60_000
const maxCollapseBytes = 64
const maxBytes = { alert: 4096, background: 4096, voip: 5120 }

export function openApns(options: ApnsOptions): Apns {
  const { timeoutMs, tracer, ca, clock = Date.now } = options
  const origins = {
    production: options.production ?? 'https://api.push.apple.com',
    sandbox: options.sandbox ?? 'https://api.sandbox.push.apple.com',
  }
  const tokens = openTokenCache(clock)
  const pools = new LRUCache<string, Http2Pool>({
    max: maxPools,
    ttl: idlePoolMs,
    updateAgeOnGet: true,
    ttlAutopurge: true,
    dispose: (pool) => pool[Symbol.dispose](),
  })
  const poolOf = (origin: string, credentials: ApnsCredentials) => {
    // A connection speaks for one team, or for one certificate.
    const key = `${origin} ${identityOf(credentials)}`
    const known = pools.get(key)
    if (known) return known
    const tls = { ...(ca && { ca }), ...tlsOf(credentials) }
    const fresh = openHttp2Pool(origin, { timeoutMs, tracer, ...tls })
    pools.set(key, fresh)
    return fresh
  }

  const post = async (pool: Http2Pool, credentials: ApnsCredentials, sent: ApnsNotification) => {
    const path = `/3/device/${sent.deviceToken}`
    const body = JSON.stringify(sent.payload)
    if (credentials.kind === 'certificate') return pool.post(path, headersOf(sent), body)
    const key = fingerprintOf(credentials.teamId, credentials.keyId, credentials.key)
    for (let renewed = false; ; renewed = true) {
      const token = await tokens.get(key, () => issue(credentials, clock()))
      const headers = { ...headersOf(sent), authorization: `bearer ${token}` }
      const answer = await pool.post(path, headers, body)
      if (reasonOf(answer) !== 'ExpiredProviderToken' || renewed) return answer
      await tokens.drop(key, token)
    }
  }

  return {
    async send(credentials, environment, notification) {
      const objection = objectionTo(notification)
      if (objection) return objection
      try {
        const pool = poolOf(origins[environment], credentials)
        return outcomeOf(await post(pool, credentials, notification))
      } catch (error) {
        if (error instanceof Refusal) return { is: 'refused', reason: error.message }
        if (error instanceof Http2Error) return later(error.message)
        throw error
      }
    },
    [Symbol.dispose]: () => pools.clear(),
  }
}

function identityOf(credentials: ApnsCredentials): string {
  if (credentials.kind === 'key') return credentials.teamId
  return fingerprintOf(credentials.bundle, credentials.password ?? '')
}

function tlsOf(credentials: ApnsCredentials) {
  if (credentials.kind === 'key') return {}
  return { pfx: credentials.bundle, passphrase: credentials.password ?? '' }
}

async function issue({ teamId, keyId, key }: ApnsKey, nowMs: number) {
  const signer = await importPKCS8(key, 'ES256').catch(() => {
    throw new Refusal('The p8 key cannot be read.')
  })
  const token = await new SignJWT()
    .setProtectedHeader({ alg: 'ES256', kid: keyId })
    .setIssuer(teamId)
    .setIssuedAt(Math.floor(nowMs / 1000))
    .sign(signer)
  return { token, renewAt: nowMs + renewAfterMs }
}

/** What would be refused anyway, or would not fit in a path. */
function objectionTo({ deviceToken, payload, pushType }: ApnsNotification) {
  if (!/^[0-9a-f]{1,200}$/i.test(deviceToken))
    return { is: 'gone', reason: 'BadDeviceToken' } as const
  const bytes = Buffer.byteLength(JSON.stringify(payload))
  if (bytes > maxBytes[pushType]) return { is: 'refused', reason: 'PayloadTooLarge' } as const
  return undefined
}

function headersOf({ topic, pushType, id, collapseId, expiresAt }: ApnsNotification) {
  return {
    'apns-topic': pushType === 'voip' ? `${topic}.voip` : topic,
    'apns-push-type': pushType,
    // What wakes an app in the background may not be urgent.
    'apns-priority': pushType === 'background' ? '5' : '10',
    'apns-expiration': String(expiresAt),
    'apns-id': id,
    ...(collapseId !== undefined && { 'apns-collapse-id': shorten(collapseId, maxCollapseBytes) }),
  }
}

function reasonOf({ status, body }: Http2Answer): string {
  // Every field is looked at as if it might be missing.
  const { reason = `status ${status}` } = (parseJson(body) ?? {}) as { reason?: string }
  return reason
}

function outcomeOf(answer: Http2Answer): PushOutcome {
  const { status, headers } = answer
  if (status === 200)
    return { is: 'accepted', ...(headers['apns-id'] && { id: headers['apns-id'] }) }
  const reason = reasonOf(answer)
  // A token that does not match the topic may be our mistake: it is not thrown away for that.
  if (status === 410 || reason === 'BadDeviceToken') return { is: 'gone', reason }
  const passing = ['ExpiredProviderToken', 'IdleTimeout'].includes(reason)
  if (status === 429 || status >= 500 || passing) return later(reason, retryAfterMs(headers))
  return { is: 'refused', reason }
}
