import {
  createDecipheriv,
  createECDH,
  type ECDH,
  hkdfSync,
  randomBytes,
  randomUUID,
} from 'node:crypto'
import { importJWK, jwtVerify } from 'jose'
import type { WebPushKeys, WebPushSubscription } from '../../../server/src/transports/web-push.ts'
import { type Answered, type Asked, type Provider, startProvider } from './provider.ts'
import { openScreens, type Screens } from './screens.ts'

/** A push service and its browsers: they decrypt what they get. */
export interface WebPushProvider extends AsyncDisposable {
  readonly server: Provider
  /** By endpoint. */
  readonly screens: Screens
  keys(): WebPushKeys
  /** A browser that takes messages signed with these keys. */
  subscribe(keys: WebPushKeys): WebPushSubscription
  unsubscribe(subscription: WebPushSubscription): void
}

interface Browser {
  readonly ecdh: ECDH
  readonly auth: Buffer
  readonly serverKey: string
  subscribed: boolean
}

export async function startWebPushProvider(): Promise<WebPushProvider> {
  const browsers = new Map<string, Browser>()
  const screens = openScreens()
  const server = await startProvider((asked) => answer(asked))

  const answer = async ({ path, headers, body }: Asked): Promise<Answered> => {
    const browser = browsers.get(path)
    if (!browser) return { status: 404 }
    if (!browser.subscribed) return { status: 410 }
    if (!(await isSigned(headers.authorization, browser.serverKey, server.origin))) {
      return { status: 403, body: { reason: 'The VAPID header is not valid.' } }
    }
    if (!/^\d+$/.test(headers.ttl ?? '') || headers['content-encoding'] !== 'aes128gcm') {
      return { status: 400 }
    }
    if (!/^[\w-]{1,32}$/.test(headers.topic ?? 'none')) return { status: 400 }
    if (body.length > 4096) return { status: 413 }
    screens.show(server.origin + path, headers.topic, decrypt(body, browser))
    return { status: 201, headers: { location: `${server.origin}/message/${randomUUID()}` } }
  }

  return {
    server,
    screens,
    keys() {
      const ecdh = createECDH('prime256v1')
      const publicKey = ecdh.generateKeys('base64url')
      const privateKey = ecdh.getPrivateKey('base64url')
      return { publicKey, privateKey, subject: 'mailto:operator@chorale.example' }
    },
    subscribe({ publicKey }: WebPushKeys) {
      const path = `/push/${randomUUID()}`
      const ecdh = createECDH('prime256v1')
      const p256dh = ecdh.generateKeys('base64url')
      const auth = randomBytes(16)
      browsers.set(path, { ecdh, auth, serverKey: publicKey, subscribed: true })
      return { endpoint: server.origin + path, p256dh, auth: auth.toString('base64url') }
    },
    unsubscribe({ endpoint }: WebPushSubscription) {
      const browser = browsers.get(new URL(endpoint).pathname)
      if (browser) browser.subscribed = false
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

async function isSigned(header = '', serverKey: string, audience: string): Promise<boolean> {
  const [, token = '', key] = /^vapid t=([^,]+), ?k=(.+)$/.exec(header) ?? []
  if (key !== serverKey) return false
  const point = Buffer.from(serverKey, 'base64url')
  const x = point.subarray(1, 33).toString('base64url')
  const y = point.subarray(33).toString('base64url')
  try {
    const publicKey = await importJWK({ kty: 'EC', crv: 'P-256', x, y }, 'ES256')
    const rules = { algorithms: ['ES256'], audience, requiredClaims: ['exp', 'sub'] }
    const { payload } = await jwtVerify(token, publicKey, rules)
    const dayAhead = Date.now() / 1000 + 86_400
    return (payload.exp ?? 0) <= dayAhead && /^(?:mailto:|https:)/.test(payload.sub ?? '')
  } catch {
    return false
  }
}

/** As a browser does it: RFC 8291, with the record of RFC 8188. */
export function decrypt(body: Buffer, { ecdh, auth }: Pick<Browser, 'ecdh' | 'auth'>): string {
  const salt = body.subarray(0, 16)
  const senderKey = body.subarray(21, 21 + (body[20] ?? 0))
  const sealed = body.subarray(21 + senderKey.length)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), senderKey])
  const secret = hkdf(ecdh.computeSecret(senderKey), auth, info, 32)
  const key = hkdf(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = hkdf(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
  const cipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(sealed.subarray(-16))
  const text = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()])
  // The last record ends with a 2, and zeros after it that hide its length.
  return text.subarray(0, text.lastIndexOf(2)).toString('utf8')
}

function hkdf(secret: Buffer, salt: Buffer, info: Buffer, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, bytes))
}
