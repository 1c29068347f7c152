import type { FastifyRequest } from 'fastify'
import type { Credentials } from '../pipeline/caller.ts'
import { Failure } from '../pipeline/failure.ts'
import { credentialsOf } from './address.ts'

/** Where browsers find the console. */
export interface ConsoleAddress {
  /** Scheme, host and port. */
  readonly origin: string
}

/** Calls of the console, with a cookie: no other path looks at one. */
export const consolePrefix = '/console/api'
/** A page of another origin cannot send it without being asked first, and is refused then. */
const ownHeader = 'x-chorale-console'
const safeMethods = ['GET', 'HEAD']

/** A browser keeps `__Host-` from other hosts and from pages without TLS. */
function cookieName(name: string, { origin }: ConsoleAddress): string {
  return isSecure(origin) ? `__Host-${name}` : name
}

export function cookieText(
  name: string,
  value: string,
  address: ConsoleAddress,
  maxAgeSeconds?: number,
): string {
  return [
    `${cookieName(name, address)}=${value}`,
    'Path=/',
    'HttpOnly',
    // Not Strict: whoever comes back from the OpenID provider would be unknown on the first page.
    'SameSite=Lax',
    ...(isSecure(address.origin) ? ['Secure'] : []),
    ...(maxAgeSeconds === undefined ? [] : [`Max-Age=${maxAgeSeconds}`]),
  ].join('; ')
}

function isSecure(origin: string): boolean {
  return origin.startsWith('https:')
}

/** Undefined: there is none, or more than one, of which the other may be planted. */
export function cookieIn(
  { headers }: FastifyRequest,
  name: string,
  address: ConsoleAddress,
): string | undefined {
  const wanted = cookieName(name, address)
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='))
  const found = pairs.filter(([key]) => key === wanted)
  return found.length === 1 ? found[0]?.[1] : undefined
}

export const sessionCookie = 'chorale'

/** Only the cookie counts here: keys and tokens are not looked at. */
export function consoleCredentialsOf(
  request: FastifyRequest,
  address: ConsoleAddress,
): Credentials {
  const { appId, onBehalfOf } = credentialsOf(request.headers)
  return {
    appId,
    onBehalfOf,
    region: undefined,
    apiKey: undefined,
    authToken: undefined,
    managementKey: undefined,
    managementSecret: undefined,
    session: cookieIn(request, sessionCookie, address) ?? '',
  }
}

/** Throws unless the request comes from a page of the console: a browser adds cookies by itself. */
export function requireOwnPage({ headers, method }: FastifyRequest, { origin }: ConsoleAddress) {
  const site = headers['sec-fetch-site']
  const isForeign =
    (headers.origin !== undefined && headers.origin !== origin) ||
    (site !== undefined && site !== 'same-origin')
  const isKnown = headers.origin !== undefined || site !== undefined
  const isSafe = safeMethods.includes(method)
  // A link of the console, to save a file: browsers add no header of ours, and say that it is ours.
  const isOwnLink = isSafe && site === 'same-origin'
  const isOwn = headers[ownHeader] !== undefined || isOwnLink
  if (isForeign || !isOwn || !(isSafe || isKnown)) {
    throw new Failure('AUTH_ERR_FOREIGN_PAGE')
  }
}
