import { isIP } from 'node:net'
import { type MayCall, openAddressRules } from './addresses.ts'
import { EgressError } from './egress-error.ts'

export interface UrlRules {
  /** Ranges that the operator lets through although they are not public, comma-separated. */
  readonly allow: string
  /** Whether plain http will do. */
  readonly http: boolean
}

const maxLetters = 2048

/** For whoever stores an address: what is wrong with it, as far as that shows without asking DNS. */
export function objectionToUrl(url: string, rules: UrlRules): string | undefined {
  try {
    readUrl(url, rules.http, openAddressRules(rules.allow))
    return undefined
  } catch (error) {
    if (error instanceof EgressError) return error.message
    throw error
  }
}

/** A secret that one address may have, another of the same scheme, host and port may have. */
export function isSameOrigin(one: string, other: string): boolean {
  const [a, b] = [URL.parse(one), URL.parse(other)]
  return a !== null && b !== null && a.origin === b.origin
}

export function readUrl(text: string, http: boolean, mayCall: MayCall): URL {
  const url = parse(text)
  if (url.protocol !== 'https:' && !(http && url.protocol === 'http:')) {
    throw new EgressError(
      'refused-url',
      `The URL must begin with https://${http ? ' or http://' : ''}.`,
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw new EgressError('refused-url', 'The URL must not carry a user name or a password.')
  }
  const host = hostOf(url)
  const address = isLocalName(host) ? loopback : host
  if (isIP(address) !== 0 && !mayCall(address)) {
    throw new EgressError(
      'refused-address',
      `The URL leads to ${host}, which is not a public address.`,
    )
  }
  return url
}

/** The parser reads decimal, octal, hexadecimal and full-width notations: what comes out is plain. */
function parse(text: string): URL {
  const parsed = text.length <= maxLetters ? URL.parse(text) : null
  // The parser would drop a line break or a tab, and turn a backslash round.
  const odd = [...text].some((letter) => letter <= ' ' || letter === '\\' || letter === '\x7f')
  if (!parsed || odd || parsed.hostname === '') {
    throw new EgressError(
      'refused-url',
      `The URL is not valid, or longer than ${maxLetters} characters.`,
    )
  }
  return parsed
}

/** Without the brackets of IPv6 and the dot that may end a name. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

export const loopback = '127.0.0.1'

/** These mean this machine, whatever DNS says. */
export function isLocalName(host: string): boolean {
  return /(?:^|\.)localhost$/.test(host)
}
