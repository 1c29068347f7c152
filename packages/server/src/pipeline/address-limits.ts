import { hash, randomBytes } from 'node:crypto'
import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Credentials } from './caller.ts'
import { Failure, tooManyRequests } from './failure.ts'

/** Limits for addresses whose callers nobody knows. Kept in memory, by each process for itself. */
export interface AddressLimits {
  /**
   * Does the work of identifying a caller and counts its refusals. Once an address has had its share
   * of them it is refused without that work, except for credentials that were good from there.
   */
  identify<T>(address: string, credentials: Credentials, work: () => Promise<T>): Promise<T>
}

export interface AddressLimitOptions {
  /** Refusals per address and minute; 0: no limit. */
  readonly refusals: number
  readonly clockMs?: () => number
}

interface Window {
  readonly endsAt: number
  count: number
}

const windowMs = 60_000
const goodForMs = 600_000
/** Beyond these the oldest are forgotten: no flood of addresses or credentials takes more memory. */
const maxAddresses = 20_000
const maxGood = 50_000

export function openAddressLimits(options: AddressLimitOptions): AddressLimits {
  const { refusals, clockMs = () => performance.now() } = options
  const windows = new Map<string, Window>()
  // By digest: a credential in plain text is not kept.
  const good = new Map<string, number>()
  const salt = randomBytes(16).toString('hex')
  const digestOf = (group: string, credentials: Credentials) => {
    const { appId, apiKey, authToken, managementSecret, session } = credentials
    return hash(
      'sha256',
      [salt, group, appId, apiKey ?? authToken ?? managementSecret ?? session].join('\0'),
    )
  }

  function windowOf(group: string): Window {
    const known = windows.get(group)
    if (known && known.endsAt > clockMs()) return known
    return { endsAt: clockMs() + windowMs, count: 0 }
  }

  function requireRoom(group: string, credentials: Credentials): void {
    const { count, endsAt } = windowOf(group)
    if (count < refusals) return
    const known = good.get(digestOf(group, credentials))
    if (known === undefined || known < clockMs()) throw tooMany(refusals, endsAt - clockMs())
  }

  return {
    async identify(address, credentials, work) {
      if (refusals === 0) return work()
      const group = addressGroup(address)
      requireRoom(group, credentials)
      try {
        const result = await work()
        keep(good, digestOf(group, credentials), clockMs() + goodForMs, maxGood)
        return result
      } catch (error) {
        if (isRefusal(error)) {
          const window = windowOf(group)
          window.count++
          keep(windows, group, window, maxAddresses)
        }
        throw error
      }
    },
  }
}

/** What limits count by: whoever has one address of IPv6 has the 2^64 of its network. */
export function addressGroup(address: string): string {
  if (isIPv4(address) || !ipaddr.IPv6.isValid(address)) return address
  const network = ipaddr.IPv6.parse(address).parts.slice(0, 4)
  return `${network.map((part) => part.toString(16)).join(':')}::/64`
}

/** The newest last. */
function keep<V>(map: Map<string, V>, key: string, value: V, most: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= most) return
  for (const [oldest] of map) {
    map.delete(oldest)
    return
  }
}

function isRefusal(error: unknown): boolean {
  if (!(error instanceof Failure)) return false
  return error.status === 401 || error.code === 'AUTH_ERR_NO_ACCESS'
}

function tooMany(limit: number, ms: number): Failure {
  const seconds = Math.max(1, Math.ceil(ms / 1000))
  return tooManyRequests(`${limit} with wrong credentials a minute are allowed`, seconds)
}
