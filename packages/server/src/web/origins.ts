import type { IncomingHttpHeaders } from 'node:http'

/** Whose pages may use the service; `*`: anybody's, since no browser sends a secret by itself. */
export type Origins = readonly string[]

/** Without an `Origin` it is no browser. */
export function isAllowedOrigin({ origin }: IncomingHttpHeaders, allowed: Origins): boolean {
  return origin === undefined || allowed.includes('*') || allowed.includes(origin)
}
