import { randomUUID } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from 'jose'

export interface SigningKey {
  readonly kid: string
  readonly alg: string
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
  readonly jwk: JWK
}

/** Signs JWTs, and publishes its keys as a JSON Web Key Set, as OpenID Connect describes it. */
export interface IdentityProvider extends AsyncDisposable {
  /** The claim `iss`. */
  readonly issuer: string
  readonly jwksUrl: string
  /** How often somebody asked for the keys. */
  readonly fetches: number
  /** Signs; the newest is the last. */
  readonly key: SigningKey
  /** Instead of answering with the keys. */
  behave: ((response: ServerResponse) => void) | undefined
  /** Signs with a new key, published beside the older ones. */
  rotate(alg?: string): Promise<SigningKey>
  /** Publishes the newest key only. */
  retire(): void
  /** A JWT for the audience `chat` that is good for an hour, unless the claims say otherwise. */
  sign(claims: JWTPayload, header?: Partial<JWTHeaderParameters>, key?: SigningKey): Promise<string>
}

export async function makeSigningKey(alg = 'RS256', kid = randomUUID()): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' }
  return { kid, alg, privateKey, publicKey, jwk }
}

export async function startIdentityProvider({
  host = '127.0.0.1',
  alg = 'RS256',
} = {}): Promise<IdentityProvider> {
  let key = await makeSigningKey(alg)
  let published = [key]
  let fetches = 0
  const server = createServer((_, response) => {
    fetches++
    if (provider.behave) provider.behave(response)
    else response.end(JSON.stringify({ keys: published.map(({ jwk }) => jwk) }))
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  // A listening TCP server has an address with a port.
  const origin = `http://${host}:${(server.address() as AddressInfo).port}`
  const provider: IdentityProvider = {
    issuer: `${origin}/`,
    jwksUrl: `${origin}/jwks`,
    behave: undefined,
    get fetches() {
      return fetches
    },
    get key() {
      return key
    },
    async rotate(newAlg = alg) {
      key = await makeSigningKey(newAlg)
      published = [...published, key]
      return key
    },
    retire() {
      published = [key]
    },
    sign(claims, header = {}, by = key) {
      const now = Math.floor(Date.now() / 1000)
      const usual = { iss: provider.issuer, aud: 'chat', iat: now, exp: now + 3600 }
      return new SignJWT({ ...usual, jti: randomUUID(), ...claims })
        .setProtectedHeader({ alg: by.alg, kid: by.kid, typ: 'JWT', ...header })
        .sign(by.privateKey)
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return provider
}
