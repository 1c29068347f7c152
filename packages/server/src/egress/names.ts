import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { EgressError } from './egress-error.ts'
import { isLocalName, loopback } from './urls.ts'

export interface Names extends Disposable {
  /** Every address that a host has at this moment; at least one. */
  addressesOf(host: string): Promise<readonly string[]>
}

/**
 * Asks DNS itself: the system's lookup would take a thread per name, and a few names that do not
 * answer would hold up all that hashes or reads files.
 */
export function openNames(servers: readonly string[] = []): Names {
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  if (servers.length > 0) resolver.setServers(servers)
  return {
    async addressesOf(host) {
      if (isIP(host) !== 0) return [host]
      if (isLocalName(host)) return [loopback]
      const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
      const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
      if (addresses.length === 0) throw new EgressError('dns', `No address was found for ${host}.`)
      return addresses
    },
    [Symbol.dispose]: () => resolver.cancel(),
  }
}
