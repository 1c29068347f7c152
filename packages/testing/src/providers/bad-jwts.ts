import { createHmac } from 'node:crypto'
import { exportSPKI, type JWTPayload } from 'jose'
import { type IdentityProvider, makeSigningKey, type SigningKey } from './identity-provider.ts'

export interface BadJwts {
  /** Signs for the app; its other key is of the algorithm ES256. */
  readonly provider: IdentityProvider
  readonly elliptic: SigningKey
  /** Is trusted by another app. */
  readonly elsewhere: IdentityProvider
}

/** JWTs for the user `ann`, each of which is wrong in the way that its name says. */
export async function badJwts(given: BadJwts): Promise<Readonly<Record<string, string>>> {
  return {
    ...(await withBadAlgorithm(given)),
    ...(await withBadKey(given)),
    ...(await withBadHeader(given)),
    ...(await withBadClaims(given)),
    ...(await withBadUser(given)),
    ...(await withBadForm(given)),
  }
}

const now = () => Math.floor(Date.now() / 1000)

function part(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return Buffer.from(text).toString('base64url')
}

function claimsOf({ issuer }: IdentityProvider): JWTPayload {
  return { iss: issuer, aud: 'chat', sub: 'ann', iat: now(), exp: now() + 3600 }
}

async function withBadAlgorithm({ provider, elliptic }: BadJwts) {
  const { kid, publicKey, jwk } = provider.key
  const claims = part(claimsOf(provider))
  const good = await provider.sign({ sub: 'ann' })
  const hmac = (secret: string | Buffer) => {
    const signed = `${part({ alg: 'HS256', kid, typ: 'JWT' })}.${claims}`
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
  }
  return {
    'alg none': `${part({ alg: 'none', kid })}.${claims}.`,
    'alg none, signed': `${part({ alg: 'none', kid })}.${claims}.${good.split('.')[2]}`,
    'alg nOnE': `${part({ alg: 'nOnE', kid })}.${claims}.`,
    'no alg': `${part({ kid })}.${claims}.${good.split('.')[2]}`,
    'HMAC with the public key as PEM': hmac(await exportSPKI(publicKey)),
    'HMAC with the modulus': hmac(Buffer.from(jwk.n ?? '', 'base64url')),
    'HMAC with nothing': hmac(''),
    'an algorithm that is not allowed': await provider.sign({ sub: 'ann' }, {}, elliptic),
  }
}

async function withBadKey({ provider, elliptic }: BadJwts) {
  const stranger = await makeSigningKey()
  const { kid } = provider.key
  const by = (header: object) => provider.sign({ sub: 'ann' }, header, stranger)
  return {
    'another key under a known kid': await by({ kid }),
    'another key without a kid': await by({ kid: undefined }),
    'a kid that nobody knows': await by({}),
    'a kid that is a path': await by({ kid: '../../../../dev/null' }),
    'a kid that is SQL': await by({ kid: "x' or '1'='1" }),
    'a kid that is an address': await by({ kid: `${provider.jwksUrl}?x` }),
    'a kid that is a number': await by({ kid: 1 }),
    'an empty kid': await by({ kid: '' }),
    'a kid like a property of every object': await by({ kid: '__proto__' }),
    'the kid of a key of another kind': await by({ kid: elliptic.kid }),
  }
}

async function withBadHeader({ provider, elsewhere }: BadJwts) {
  const stranger = await makeSigningKey()
  const { kid } = provider.key
  const by = (header: object) => provider.sign({ sub: 'ann' }, header, stranger)
  const signed = (header: object) => provider.sign({ sub: 'ann' }, header)
  const critical = part({ alg: 'RS256', kid, crit: ['exp'], exp: 1 })
  const [, claims, signature] = (await signed({})).split('.')
  return {
    'its own key in the header': await by({ jwk: stranger.jwk }),
    'its own key set in the header': await elsewhere.sign(
      { sub: 'ann', iss: provider.issuer },
      { jku: elsewhere.jwksUrl, kid },
    ),
    'an address of certificates in the header': await by({ x5u: elsewhere.jwksUrl, kid }),
    'a certificate in the header': await by({ x5c: ['MIIB'], kid }),
    'a critical extension': `${critical}.${claims}.${signature}`,
    'a payload that is not encoded': `${part({ alg: 'RS256', kid, b64: false, crit: ['b64'] })}.${claims}.${signature}`,
    'the typ of a logout token': await signed({ typ: 'logout+jwt' }),
    'the typ of a proof of possession': await signed({ typ: 'dpop+jwt' }),
  }
}

async function withBadClaims({ provider, elsewhere }: BadJwts) {
  const { issuer } = provider
  const claims = (more: object) => provider.sign({ sub: 'ann', ...more })
  return {
    'another audience': await claims({ aud: 'shop' }),
    'other audiences': await claims({ aud: ['shop', 'chat2', 'CHAT'] }),
    'no audience': await claims({ aud: undefined }),
    'an issuer without its slash': await claims({ iss: issuer.slice(0, -1) }),
    'an issuer in capitals': await claims({ iss: issuer.toUpperCase() }),
    'no issuer': await claims({ iss: undefined }),
    'a list of issuers': await claims({ iss: [issuer] }),
    'the issuer of another app': await elsewhere.sign({ sub: 'ann' }),
    'the key of the issuer of another app': await elsewhere.sign({ sub: 'ann', iss: issuer }),
    'an hour too late': await claims({ exp: now() - 3600 }),
    'a second too late': await claims({ exp: now() - 1 }),
    'no end': await claims({ exp: undefined }),
    'an end as text': await claims({ exp: String(now() + 3600) }),
    'not yet': await claims({ nbf: now() + 90 }),
    'no time of issue': await claims({ iat: undefined }),
    'a time of issue as text': await claims({ iat: String(now()) }),
    'issued in the future': await claims({ iat: now() + 90 }),
    'older than the app allows': await claims({ iat: now() - 90_000, exp: now() + 3600 }),
  }
}

async function withBadUser({ provider }: BadJwts) {
  const sub = (value: unknown) => provider.sign({ sub: value as string })
  return {
    'no user': await sub(undefined),
    'a number as user': await sub(7),
    'a list of users': await sub(['ann']),
    'an empty user': await sub(''),
    'an e-mail address as user': await sub('ann@example.com'),
    'a uid in capitals': await sub('Ann'),
    'a uid with a letter like another': await sub('аnn'),
    'a uid that is too long': await sub('a'.repeat(101)),
    'the system user': await sub('app_system'),
    'a user who does not exist': await sub('stranger'),
    'a user who is deactivated': await sub('idle'),
  }
}

async function withBadForm({ provider }: BadJwts) {
  const good = await provider.sign({ sub: 'ann' })
  const [header = '', claims = '', signature = ''] = good.split('.')
  const other = part({ ...claimsOf(provider), sub: 'bob' })
  return {
    'claims that were changed': `${header}.${other}.${signature}`,
    'no signature': `${header}.${claims}.`,
    'half a signature': `${header}.${claims}.${signature.slice(0, 100)}`,
    'a signature with something behind it': `${good}AAAA`,
    'claims that are no JSON': `${header}.${part('x')}.${signature}`,
    'claims that are a list': `${header}.${part([])}.${signature}`,
    'a header that is no JSON': `eyJ.${claims}.${signature}`,
    'two parts': `${header}.${claims}`,
    'five parts, as encrypted ones have': `${good}.AAAA.AAAA`,
    'more than 8192 characters': await provider.sign({ sub: 'ann', much: 'x'.repeat(8192) }),
  }
}
