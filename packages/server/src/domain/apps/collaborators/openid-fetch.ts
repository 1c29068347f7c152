import type { CustomFetch } from 'openid-client'
import type { Egress, EgressRequest } from '../../../egress/egress.ts'

const timeoutMs = 10_000
const maxBytes = 1_048_576

/** Calls to the provider take the way of all calls that leave the service. */
export function fetchThrough(egress: Egress): CustomFetch {
  return async (url, { method, headers, body }) => {
    const answer = await egress.call({
      url,
      // OpenID Connect knows no other.
      method: method as EgressRequest['method'],
      headers: Object.fromEntries(new Headers(headers)),
      ...(body !== undefined && body !== null && { body: String(body) }),
      timeoutMs,
      maxBytes,
      target: 'openid',
    })
    if (answer.truncated) throw new Error(`The answer of ${url} is too long.`)
    return new Response(answer.body, { status: answer.status, headers: answer.headers })
  }
}
