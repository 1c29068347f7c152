import { decodeJwt, decodeProtectedHeader, errors, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { type Claims, refusal } from './claims.ts'
import type { IssuerRow } from './issuers.sql.ts'

export interface VerifiedJwt {
  readonly claims: Claims
  readonly issuedAt: number
  readonly expiresAt: number
}

/** Between the clock of an issuer and ours. What has expired is refused to the second. */
const toleranceSeconds = 30
/** Headers `typ` of an ID token or an access token; others are meant for something else. */
const types = new Set([undefined, 'jwt', 'at+jwt'])

/** Whom it names as its issuer, before anything of it is believed. */
export function issuerNamedIn(token: string): string {
  return reading(() => {
    const { iss } = decodeJwt(token)
    if (typeof iss !== 'string') throw refusal('it names no issuer')
    return iss
  })
}

export async function verifyJwt(
  token: string,
  { issuer, settings }: IssuerRow,
  keys: JWTVerifyGetKey,
  now: number,
): Promise<VerifiedJwt> {
  requireType(token)
  const { algorithms, audiences, maxLifetimeSeconds } = settings
  const claims = await readingLater(async () => {
    const { payload } = await jwtVerify(token, keys, {
      algorithms,
      issuer,
      audience: audiences,
      clockTolerance: toleranceSeconds,
      currentDate: new Date(now * 1000),
      requiredClaims: ['iat', 'exp'],
    })
    return payload
  })
  // Numbers: the library has checked the type of those that it looks at, and `iat` is not among them.
  const { iat, exp } = claims
  if (typeof iat !== 'number' || typeof exp !== 'number') throw refusal('its iat is no number')
  if (iat > now + toleranceSeconds) throw refusal('it was issued in the future')
  const expiresAt = Math.floor(Math.min(exp, iat + maxLifetimeSeconds))
  if (expiresAt <= now) throw refusal(exp <= now ? 'it has expired' : 'it is too old for this app')
  return { claims, issuedAt: Math.floor(iat), expiresAt }
}

function requireType(token: string): void {
  const { typ } = reading(() => decodeProtectedHeader(token))
  const type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : typ
  if (!types.has(type)) throw refusal('its typ is not that of an ID token or access token')
}

function reading<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw refusalOf(error)
  }
}

async function readingLater<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw refusalOf(error)
  }
}

/** What the library objects to, in our words; anything else is passed on. */
function refusalOf(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) return refusal('it has expired')
  if (error instanceof errors.JWTClaimValidationFailed) {
    return refusal(`its claim ${error.claim} is missing or wrong`)
  }
  if (error instanceof errors.JOSEAlgNotAllowed) return refusal('its algorithm is not allowed')
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return refusal('its signature is wrong')
  }
  if (error instanceof errors.JWKSNoMatchingKey) {
    return refusal('it was signed with a key that the issuer does not publish')
  }
  if (error instanceof errors.JWKSMultipleMatchingKeys) {
    return refusal('it does not say with which of the keys of the issuer it was signed')
  }
  if (error instanceof errors.JOSEError) return refusal('it cannot be read')
  // Of a key that cannot be imported, or is too short for its algorithm.
  const badKey = error instanceof TypeError || error instanceof DOMException
  return badKey ? refusal('the key of the issuer cannot be used') : error
}
