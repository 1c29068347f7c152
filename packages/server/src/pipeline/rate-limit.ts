import { appSettingDefaults } from '@chorale/contract/apps'
import type { Operation } from '@chorale/contract/operation'
import type { SharedCounts } from '../limits/shared-counts.ts'
import type { AppIdentity, Caller } from './caller.ts'
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
        'x-rate-limit': String(limit),
        'x-rate-limit-remaining': String(Math.max(0, limit - used)),
      }
    },
  }
}

/** From the budget of whoever calls. What the answer says about it. */
export function takeFromBudget(
  rateLimit: RateLimit,
  caller: Caller,
  { rate }: Operation,
): Readonly<Record<string, string>> {
  // The operator is not held up by what an app has used: raising its limit must go through.
  if (caller.kind === 'management') return {}
  // Nor are people, who have a budget each, of the size that a device has.
  if (caller.kind === 'collaborator') {
    const { app, collaboratorId } = caller
    return app ? rateLimit.take(app, 'device', `collaborator:${collaboratorId}`) : {}
  }
  // Nor is an app by its users: each has a budget of their own.
  if (caller.kind === 'device') return rateLimit.take(caller.app, 'device', caller.actor.uid)
  return rateLimit.take(caller.app, rate ?? 'standard')
}

function limitOf(app: AppIdentity, kind: RateClass): number {
  const name = `rateLimits.${kind}` as const
  const own = app.settings[name]
  return typeof own === 'number' && own > 0 ? own : appSettingDefaults[name]
}

function tooMany(limit: number, seconds: number): Failure {
  const reset = Math.ceil(Date.now() / 1000) + seconds
  return tooManyRequests(`${limit} a minute are allowed`, seconds, {
    'x-rate-limit': String(limit),
    'x-rate-limit-remaining': '0',
    'x-rate-limit-reset': String(reset),
  })
}
