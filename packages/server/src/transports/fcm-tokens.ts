import { importPKCS8, SignJWT } from 'jose'
import { type Egress, EgressError } from '../egress/egress.ts'
import { Http2Error } from './http2-line.ts'
import { parseJson } from './outcome.ts'
import { Refusal } from './refusal.ts'
import { fingerprintOf, openTokenCache } from './token-cache.ts'

/** Of a service account, as its file names them in snake case. */
export interface FcmCredentials {
  readonly projectId: string
  readonly clientEmail: string
  readonly privateKey: string
  readonly privateKeyId: string
}

interface Options {
  readonly egress: Egress
  readonly timeoutMs: number
  readonly tokenUri?: string
  readonly clock: () => number
}

const scope = 'https://www.googleapis.com/auth/firebase.messaging'
const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const renewBeforeMs = 5 * 60_000

/** Access tokens of service accounts. */
export function openFcmTokens(options: Options) {
  const cache = openTokenCache(options.clock)
  const keyOf = ({ clientEmail, privateKey, privateKeyId }: FcmCredentials) =>
    fingerprintOf(clientEmail, privateKey, privateKeyId)
  return {
    of: (credentials: FcmCredentials) =>
      cache.get(keyOf(credentials), () => exchange(credentials, options)),
    drop: (credentials: FcmCredentials, token: string) => cache.drop(keyOf(credentials), token),
  }
}

async function exchange(credentials: FcmCredentials, options: Options) {
  const { egress, timeoutMs, clock, tokenUri = 'https://oauth2.googleapis.com/token' } = options
  const assertion = await assertionOf(credentials, tokenUri, clock())
  const { status, body } = await egress
    .call({
      url: tokenUri,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ grant_type: grant, assertion }).toString(),
      timeoutMs,
      maxBytes: 65_536,
      target: tokenUri,
    })
    .catch(asHttp2Error)
  // Every field is looked at as if it might be missing.
  const answer = (parseJson(body) ?? {}) as {
    access_token?: string
    expires_in?: number
    error?: string
  }
  const { access_token: token, expires_in: seconds = 3600, error = `status ${status}` } = answer
  if (status === 200 && token) {
    return { token, renewAt: clock() + Math.max(1000, seconds * 1000 - renewBeforeMs) }
  }
  const text = `There was no access token: ${error}.`
  if (status === 429 || status >= 500) throw new Http2Error(text, true)
  throw new Refusal(text)
}

async function assertionOf(credentials: FcmCredentials, audience: string, nowMs: number) {
  const now = Math.floor(nowMs / 1000)
  const key = await importPKCS8(credentials.privateKey, 'RS256').catch(() => {
    throw new Refusal('The private key cannot be read.')
  })
  return new SignJWT({ scope })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: credentials.privateKeyId })
    .setIssuer(credentials.clientEmail)
    .setAudience(audience)
    .setIssuedAt(now)
    .setExpirationTime(now + 3600)
    .sign(key)
}

function asHttp2Error(error: unknown): never {
  if (error instanceof EgressError) throw new Http2Error(error.message, true, error)
  throw error
}
