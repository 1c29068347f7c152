import { createECDH } from 'node:crypto'
import { encrypt } from 'http_ece'
import { importJWK, SignJWT } from 'jose'
import { type Egress, type EgressAnswer, EgressError } from '../egress/egress.ts'
import { later, type PushOutcome, retryAfterMs, shorten } from './outcome.ts'
import { Refusal } from './refusal.ts'
import { fingerprintOf, openTokenCache } from './token-cache.ts'

/** The pair that a page subscribes with (VAPID), in base64url. */
export interface WebPushKeys {
  readonly publicKey: string
  readonly privateKey: string
  /** Whom a push service may ask about us: `mailto:` or `https:`. */
  readonly subject: string
}

/** As a browser hands it out, so typed by anybody. */
export interface WebPushSubscription {
  readonly endpoint: string
  readonly p256dh: string
  readonly auth: string
}

export interface WebPushMessage {
  readonly payload: string
  readonly ttlSeconds: number
  readonly urgency: 'very-low' | 'low' | 'normal' | 'high'
  /** A later message with the same tag takes the place of one that still waits. */
  readonly tag?: string
}

export interface WebPush {
  send(
    keys: WebPushKeys,
    subscription: WebPushSubscription,
    message: WebPushMessage,
  ): Promise<PushOutcome>
}

export interface WebPushOptions {
  readonly egress: Egress
  readonly timeoutMs: number
  /** In ms. */
  readonly clock?: () => number
}

/** What push services take, encrypted: so much is left of 4096 bytes. */
const maxBytes = 3993
const maxTopicDigests = 32
const validMs = 12 * 3_600_000

/** Web Push: RFC 8030, encrypted as in RFC 8291, signed as in RFC 8292. */
export function openWebPush({ egress, timeoutMs, clock = Date.now }: WebPushOptions): WebPush {
  const tokens = openTokenCache(clock)
  const authorize = async (keys: WebPushKeys, audience: string) => {
    const { publicKey, privateKey, subject } = keys
    const key = fingerprintOf(audience, publicKey, privateKey, subject)
    const token = await tokens.get(key, () => issue(keys, audience, clock()))
    return `vapid t=${token}, k=${publicKey}`
  }
  const post = async (keys: WebPushKeys, to: WebPushSubscription, message: WebPushMessage) => {
    const { ttlSeconds, urgency, tag } = message
    const body = seal(message.payload, to)
    const { origin } = new URL(to.endpoint)
    return egress.call({
      url: to.endpoint,
      method: 'POST',
      headers: {
        authorization: await authorize(keys, origin),
        'content-type': 'application/octet-stream',
        'content-encoding': 'aes128gcm',
        ttl: String(ttlSeconds),
        urgency,
        ...(tag !== undefined && { topic: topicOf(tag) }),
      },
      body,
      timeoutMs,
      maxBytes: 4096,
      target: `web push ${keys.publicKey} ${origin}`,
    })
  }
  return {
    async send(keys, subscription, message) {
      if (!isUsable(subscription)) return { is: 'gone', reason: 'The subscription is not valid.' }
      if (Buffer.byteLength(message.payload) > maxBytes) {
        return { is: 'refused', reason: 'The payload is too large.' }
      }
      try {
        return outcomeOf(await post(keys, subscription, message))
      } catch (error) {
        if (error instanceof Refusal) return { is: 'refused', reason: error.message }
        if (error instanceof EgressError) return outcomeOfError(error)
        throw error
      }
    },
  }
}

function isUsable({ endpoint, p256dh, auth }: WebPushSubscription): boolean {
  const bytes = (text: string) => Buffer.from(text, 'base64url')
  const key = bytes(p256dh)
  return URL.canParse(endpoint) && key.length === 65 && key[0] === 4 && bytes(auth).length === 16
}

function seal(payload: string, { p256dh, auth }: WebPushSubscription): Buffer {
  const privateKey = createECDH('prime256v1')
  privateKey.generateKeys()
  const options = { version: 'aes128gcm', dh: p256dh, authSecret: auth, privateKey } as const
  try {
    return encrypt(Buffer.from(payload), options)
  } catch (error) {
    // The key is not a point of the curve.
    throw new EgressError('refused-url', 'The keys of the subscription are not valid.', error)
  }
}

async function issue(
  { publicKey, privateKey, subject }: WebPushKeys,
  audience: string,
  nowMs: number,
) {
  const point = Buffer.from(publicKey, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) =>
    part.toString('base64url'),
  )
  const jwk = { kty: 'EC', crv: 'P-256', d: privateKey, x: x ?? '', y: y ?? '' }
  const key = await importJWK(jwk, 'ES256').catch(() => {
    throw new Refusal('The VAPID keys cannot be read.')
  })
  const token = await new SignJWT()
    .setProtectedHeader({ alg: 'ES256', typ: 'JWT' })
    .setAudience(audience)
    .setSubject(subject)
    .setExpirationTime(Math.floor((nowMs + validMs) / 1000))
    .sign(key)
  return { token, renewAt: nowMs + validMs / 2 }
}

/** Characters of base64url, 32 at most. */
function topicOf(tag: string): string {
  const plain = /^[\w-]+$/.test(tag) ? tag : Buffer.from(tag).toString('base64url')
  return shorten(plain, maxTopicDigests)
}

function outcomeOf({ status, headers }: EgressAnswer): PushOutcome {
  const reason = `status ${status}`
  if (status >= 200 && status < 300) {
    return { is: 'accepted', ...(headers.location && { id: headers.location }) }
  }
  if (status === 404 || status === 410) return { is: 'gone', reason }
  if (status === 429 || status >= 500) return later(reason, retryAfterMs(headers))
  return { is: 'refused', reason }
}

/** An endpoint that may not be called will not become one that may. */
function outcomeOfError({ reason, message }: EgressError): PushOutcome {
  return reason.startsWith('refused-') ? { is: 'gone', reason: message } : later(message)
}
