import {
  BrokenCircuitError,
  BulkheadRejectedError,
  bulkhead,
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhen,
  type IPolicy,
  TaskCancelledError,
  wrap,
} from 'cockatiel'
import { LRUCache } from 'lru-cache'
import { EgressError } from './egress-error.ts'

export interface BulkheadOptions {
  /** Calls at once to one target. */
  readonly perTarget: number
  /** Calls at once altogether. */
  readonly all: number
  /** After so many calls in a row without an answer, a target is left alone for a while. */
  readonly breaker: { readonly failures: number; readonly restMs: number }
  /** How long a call may wait for its turn. */
  readonly waitMs?: number
}

export type RunInBulkhead = <T>(target: string, work: () => Promise<T>) => Promise<T>

const maxTargets = 10_000
const waitingPerCall = 20

/** Each target has a bulkhead of its own, so that one that is slow or dead holds up no other. */
export function openBulkheads({
  perTarget,
  all,
  breaker,
  waitMs = 5000,
}: BulkheadOptions): RunInBulkhead {
  const everything = bulkhead(all, all * waitingPerCall)
  const bulkheads = new LRUCache<string, IPolicy>({ max: maxTargets })
  const bulkheadOf = (target: string) => {
    const known = bulkheads.get(target)
    if (known) return known
    const fresh = wrap(
      bulkhead(perTarget, perTarget * waitingPerCall),
      circuitBreaker(handleWhen(isUnanswered), {
        breaker: new ConsecutiveBreaker(breaker.failures),
        halfOpenAfter: breaker.restMs,
      }),
    )
    bulkheads.set(target, fresh)
    return fresh
  }
  return async (target, work) => {
    const turn = AbortSignal.timeout(waitMs)
    try {
      return await bulkheadOf(target).execute(() => everything.execute(work, turn), turn)
    } catch (error) {
      throw asEgressError(error, target)
    }
  }
}

/** An answer, even a 500, shows that somebody is there. A refusal of ours says nothing of the target. */
function isUnanswered(error: unknown): boolean {
  return error instanceof EgressError && ['dns', 'timeout', 'connection'].includes(error.reason)
}

function asEgressError(error: unknown, target: string): unknown {
  if (error instanceof BrokenCircuitError) {
    return new EgressError('breaker-open', `${target} did not answer several times and rests.`)
  }
  if (error instanceof BulkheadRejectedError || error instanceof TaskCancelledError) {
    return new EgressError('busy', `Too many calls to ${target} wait already.`)
  }
  return error
}
