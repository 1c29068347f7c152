import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { Refusal } from './refusal.ts'

interface Issued {
  readonly token: string
  /** In ms; renewed then, so somewhat before it expires. */
  readonly renewAt: number
}

/** Tokens by the credentials they were made from. Whoever asks meanwhile waits for the same one. */
export interface TokenCache {
  get(key: string, issue: () => Promise<Issued>): Promise<string>
  /** The provider does not take this one any more. */
  drop(key: string, token: string): Promise<void>
}

const maxTokens = 10_000
/** Wrong credentials are not shown to the provider for every notification. */
const refusedMs = 60_000

export function openTokenCache(clock: () => number): TokenCache {
  const known = new LRUCache<string, Promise<Issued>>({ max: maxTokens })
  const forget = (key: string, issuing: Promise<Issued>) => {
    if (known.get(key) === issuing) known.delete(key)
  }
  return {
    async get(key, issue) {
      for (;;) {
        const found = known.get(key)
        const issuing = found ?? issue()
        if (!found) known.set(key, issuing)
        try {
          const { token, renewAt } = await issuing
          if (clock() < renewAt) return token
          forget(key, issuing)
        } catch (error) {
          if (!(error instanceof Refusal)) forget(key, issuing)
          else if (!found) known.set(key, issuing, { ttl: refusedMs })
          throw error
        }
      }
    },
    async drop(key, token) {
      const issuing = known.get(key)
      const issued = await issuing?.catch(() => undefined)
      if (issuing && issued?.token === token) forget(key, issuing)
    },
  }
}

/** Of the whole credentials: a part of somebody else's leads to nobody's tokens. */
export function fingerprintOf(...parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${part.length} `).update(part)
  return hash.digest('base64url')
}
