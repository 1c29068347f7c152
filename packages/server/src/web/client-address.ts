import type { IncomingMessage } from 'node:http'
import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

type Cidr = [ipaddr.IPv4 | ipaddr.IPv6, number]

/** The address of whoever sent a request or asked for an upgrade. */
export type ClientAddress = (request: IncomingMessage) => string

/** Whether the word of this address, `hop` proxies away from here, is believed. */
type Trust = (address: string, hop: number) => boolean

/**
 * `trustProxy`: how many proxies there are, or their addresses as in `10.0.0.0/8,fd00::5`. Without
 * any, what `X-Forwarded-For` says is not looked at. Throws when it is neither.
 */
export function openClientAddress(trustProxy: string): ClientAddress {
  const trust = readTrust(trustProxy.trim())
  return ({ socket, headers }) => {
    let client = plain(socket.remoteAddress ?? '') ?? 'unknown'
    if (!trust) return client
    // The nearest proxy is named last; each entry is the word of the one before it.
    const forwarded = String(headers['x-forwarded-for'] ?? '').split(',')
    for (const [hop, entry] of forwarded.reverse().entries()) {
      const before = trust(client, hop) ? plain(withoutPort(entry.trim())) : undefined
      if (before === undefined) break
      client = before
    }
    return client
  }
}

function readTrust(text: string): Trust | undefined {
  if (text === '') return undefined
  if (/^\d+$/.test(text)) return (_, hop) => hop < Number(text)
  const proxies = text.split(',').map((entry) => readCidr(entry.trim()))
  return (address) => {
    if (!ipaddr.isValid(address)) return false
    const parsed = ipaddr.parse(address)
    return proxies.some((cidr) => parsed.kind() === cidr[0].kind() && parsed.match(cidr))
  }
}

function readCidr(entry: string): Cidr {
  if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry)
  if (!ipaddr.isValid(entry)) {
    throw new Error(`TRUST_PROXY holds ${entry}: give addresses, CIDR ranges, or a number of hops.`)
  }
  const address = ipaddr.parse(entry)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

/** One notation for each address; undefined: it is none. */
function plain(address: string): string | undefined {
  if (isIPv4(address)) return address
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : undefined
}

/** Some proxies name the port too. */
function withoutPort(entry: string): string {
  return /^\[(.+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry
}
