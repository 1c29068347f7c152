import { setTimeout as after } from 'node:timers/promises'
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWK, type JWTVerifyGetKey } from 'jose'
import type { Egress } from '../../../egress/egress.ts'
import { EgressError } from '../../../egress/egress.ts'
import { openAppCache } from '../../../limits/app-cache.ts'
import { Failure } from '../../../pipeline/failure.ts'

interface KeySource {
  readonly appId: string
  readonly issuerId: string
  /** Of the issuer: after a change of it the keys are fetched anew. */
  readonly version: number
  readonly jwksUrl: string
}

/** The public keys of issuers, fetched when a JWT needs them and kept. */
export interface KeySets {
  keysOf(source: KeySource): JWTVerifyGetKey
}

export interface KeySetParts {
  readonly egress: Pick<Egress, 'call'>
  readonly onFailure: (source: KeySource, reason: string) => void
  readonly clockMs?: () => number
  readonly times?: Partial<KeySetTimes>
}

export interface KeySetTimes {
  /** Keys are fetched again when they are older. */
  readonly freshMs: number
  /** While they cannot be fetched, older ones are used so long. */
  readonly staleMs: number
  /** After a fetch that failed. */
  readonly retryMs: number
  /** For the first fetches because of a key that is not known; then one in each such time. */
  readonly everyMs: number
  readonly timeoutMs: number
}

const usualTimes: KeySetTimes = {
  freshMs: 600_000,
  staleMs: 86_400_000,
  retryMs: 10_000,
  everyMs: 5000,
  timeoutMs: 3000,
}
/** So many fetches because of unknown keys may follow each other at once. */
const burst = 4
/** Calls that wait for one fetch because their key is not known. */
const maxWaiting = 100
const maxBytes = 65_536
const maxKeys = 50
const maxSets = 2000

export function openKeySets(parts: KeySetParts): KeySets {
  const sets = openAppCache<JWTVerifyGetKey>(maxSets)
  return {
    keysOf(source) {
      const { appId, issuerId, version } = source
      const name = `${issuerId} ${version}`
      const known = sets.get(appId, name)
      if (known) return known
      const set = openKeySet(source, parts)
      sets.set(appId, name, set)
      return set
    },
  }
}

interface FetchedKeys {
  readonly find: JWTVerifyGetKey
  /** When the fetch began. */
  readonly asOfMs: number
}

function openKeySet(source: KeySource, parts: KeySetParts): JWTVerifyGetKey {
  const { clockMs = () => performance.now() } = parts
  const times = { ...usualTimes, ...parts.times }
  let keys: FetchedKeys | undefined
  let failedAtMs = -Infinity
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  let waiting = 0
  const pace = openPace(times.everyMs, clockMs)

  /** One at a time; whoever comes meanwhile waits for the same. */
  const fetchKeys = (): Promise<void> => {
    running ??= (async () => {
      const asOfMs = clockMs()
      try {
        keys = { find: createLocalJWKSet(await fetchKeySet(source, parts, times)), asOfMs }
      } catch (error) {
        failedAtMs = clockMs()
        parts.onFailure(source, reasonOf(error))
      } finally {
        running = undefined
      }
    })()
    return running
  }

  /** Begins after this call, so that it sees a key that is published by now. */
  const fetchAnew = async (): Promise<void> => {
    if (waiting >= maxWaiting) return
    waiting++
    try {
      next ??= (async () => {
        await after(pace.takeMs())
        await running
        next = undefined
        await fetchKeys()
      })()
      await next
    } finally {
      waiting--
    }
  }

  const current = async (): Promise<FetchedKeys> => {
    const isOld = !keys || clockMs() - keys.asOfMs > times.freshMs
    if (isOld && clockMs() - failedAtMs >= times.retryMs) await fetchKeys()
    if (keys && clockMs() - keys.asOfMs <= times.staleMs) return keys
    throw unavailable()
  }

  return async (header, token) => {
    const askedAtMs = clockMs()
    const known = await current()
    try {
      return await known.find(header, token)
    } catch (error) {
      const mayBeNew = error instanceof errors.JWKSNoMatchingKey && known.asOfMs < askedAtMs
      if (!mayBeNew) throw error
      await fetchAnew()
      // Without a newer set nobody can say that there is no such key.
      if (!keys || keys.asOfMs < askedAtMs) throw unavailable()
      return keys.find(header, token)
    }
  }
}

function unavailable(): Failure {
  return new Failure('AUTH_ERR_JWKS_UNAVAILABLE', {}, { headers: { 'Retry-After': '10' } })
}

/** A few at once, then one in each such time: strangers with made-up keys cause no more fetches. */
function openPace(everyMs: number, clockMs: () => number) {
  let left = burst
  let at = clockMs()
  return {
    /** Takes one, and says how long to wait for it. */
    takeMs(): number {
      const now = clockMs()
      left = Math.min(burst, left + (now - at) / everyMs)
      at = now
      left--
      return left >= 0 ? 0 : Math.ceil(-left * everyMs)
    },
  }
}

async function fetchKeySet(
  { appId, issuerId, jwksUrl }: KeySource,
  { egress }: KeySetParts,
  { timeoutMs }: KeySetTimes,
): Promise<JSONWebKeySet> {
  const answer = await egress.call({
    url: jwksUrl,
    method: 'GET',
    headers: { accept: 'application/json' },
    timeoutMs,
    maxBytes,
    target: `${appId}/issuers/${issuerId}`,
  })
  if (answer.status !== 200) throw new BadKeySet(`it answered ${answer.status}`)
  if (answer.truncated) throw new BadKeySet(`it is larger than ${maxBytes} bytes`)
  return { keys: readKeys(answer.body) }
}

/** What the issuer published is no key set. */
class BadKeySet extends Error {}

function readKeys(text: string): JWK[] {
  const keys = keysIn(text)
  if (!Array.isArray(keys)) throw new BadKeySet('it is no JSON object with a list `keys`')
  if (keys.length > maxKeys) throw new BadKeySet(`it has more than ${maxKeys} keys`)
  return keys.flatMap((key) => publicKey(key) ?? [])
}

function keysIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && 'keys' in value ? value.keys : undefined
  } catch {
    return undefined
  }
}

const keyTypes = new Set<unknown>(['RSA', 'EC', 'OKP'])
const publicFields = ['kty', 'kid', 'use', 'key_ops', 'alg', 'n', 'e', 'crv', 'x', 'y']

/** Undefined: it is secret, or of a kind that is not used here. */
function publicKey(key: unknown): JWK | undefined {
  if (typeof key !== 'object' || key === null || !('kty' in key)) return undefined
  if (!keyTypes.has(key.kty) || 'd' in key) return undefined
  const fields = Object.entries(key).filter(([name]) => publicFields.includes(name))
  // The fields are checked when the key is used.
  return Object.fromEntries(fields) as JWK
}

function reasonOf(error: unknown): string {
  if (error instanceof EgressError || error instanceof BadKeySet) return error.message
  if (error instanceof errors.JOSEError) return error.message
  throw error
}
