import { appSettingDefaults } from '@chorale/contract/apps'
import type { SharedCounts } from '../limits/shared-counts.ts'
import type { AppIdentity } from './caller.ts'
import { type Failure, tooManyRequests } from './failure.ts'

type RateClass = 'core' | 'standard' | 'device'

export interface RateLimit {
  /** Takes one request from the budget, of the app or of its user, and returns its headers. */
  take(app: AppIdentity, kind: RateClass, uid?: string): Readonly<Record<string, string>>
}

/** A budget is that of the whole install, within the error that `SharedCounts` states. */
export function openRateLimit(counts: SharedCounts): RateLimit {
  return {
    take(app, kind, uid = '') {
      const limit = limitOf(app, kind)
      const { ok, used, msLeft } = counts.take(`${app.appId} ${kind} ${uid}`, limit)
      if (!ok) throw tooMany(limit, Math.max(1, Math.ceil(msLeft / 1000)))
      return {
        'X-Rate-Limit': String(limit),
        'X-Rate-Limit-Remaining': String(Math.max(0, limit - used)),
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
