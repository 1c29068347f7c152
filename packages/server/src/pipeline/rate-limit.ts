import { appSettingDefaults } from '@chorale/contract/apps'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { AppIdentity } from './caller.ts'
import { type Failure, tooManyRequests } from './failure.ts'

type RateClass = 'core' | 'standard' | 'device'

export interface RateLimit {
  /** Takes one request from the budget, of the app or of its user, and returns its headers. */
  take(app: AppIdentity, kind: RateClass, uid?: string): Promise<Readonly<Record<string, string>>>
}

/**
 * Each process counts for itself and has its share of the limit: nothing is asked of anyone on the
 * way, and an install of n equal processes keeps the whole.
 */
export function openRateLimit(processes: number): RateLimit {
  const limiters = new Map<number, RateLimiterMemory>()
  const limiterOf = (points: number) => {
    const known = limiters.get(points)
    if (known) return known
    const fresh = new RateLimiterMemory({ points, duration: 60 })
    limiters.set(points, fresh)
    return fresh
  }
  return {
    async take(app, kind, uid = '') {
      const limit = limitOf(app, kind)
      const limiter = limiterOf(Math.max(1, Math.floor(limit / processes)))
      try {
        const { remainingPoints } = await limiter.consume(`${app.appId} ${kind} ${uid}`)
        return {
          'X-Rate-Limit': String(limit),
          'X-Rate-Limit-Remaining': String(remainingPoints * processes),
        }
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal
        throw tooMany(limit, Math.ceil(refusal.msBeforeNext / 1000))
      }
    },
  }
}

function limitOf(app: AppIdentity, kind: RateClass): number {
  const name = `rateLimits.${kind}` as const
  const own = app.settings[name]
  return typeof own === 'number' && own > 0 ? own : appSettingDefaults[name]
}

function tooMany(limit: number, seconds: number): Failure {
  const reset = Math.ceil(Date.now() / 1000) + seconds
  return tooManyRequests(`${limit} a minute are allowed`, seconds, {
    'X-Rate-Limit': String(limit),
    'X-Rate-Limit-Remaining': '0',
    'X-Rate-Limit-Reset': String(reset),
  })
}
