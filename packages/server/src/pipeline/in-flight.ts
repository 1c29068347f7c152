import { setTimeout as sleep } from 'node:timers/promises'
import { NoSlot, openFairSlots } from '../limits/fair-slots.ts'
import { openLoopShare } from '../limits/loop-share.ts'
import type { Caller } from './caller.ts'
import { tooManyRequests } from './failure.ts'

/**
 * Calls that this process handles at the same time, over whatever wire they came. A user has a few
 * at once, and a few more wait. Of an app only large calls are counted, and the time for which they
 * hold the event loop; beside these, its connections to the database are, where they are taken.
 */
export interface InFlight {
  /** Undefined: it may begin. Throws or rejects with the refusal; a call that began ends with `leave`. */
  enter(caller: Caller): Promise<void> | undefined
  leave(caller: Caller): void
  /** A call of the app has come, of whatever size. */
  seen(appId: string): void
  /** As `enter` and `leave`, for a large call, whose app they count for. */
  enterLarge(appId: string): Promise<void> | undefined
  leaveLarge(appId: string): void
  /** A large call of the app has held the event loop for so long. */
  heldLoop(appId: string, ms: number): void
}

const maxWaitingPerUser = 32
const patienceMs = 5000
/**
 * Reading, checking and printing a large call takes milliseconds of the one event loop. More of them
 * at once would not be answered sooner, but whoever comes next would wait for all of them.
 */
const largeCallsPerApp = 2
const maxLargeWaitingPerApp = 100

export function openInFlight(callsPerUser: number): InFlight {
  const users = openFairSlots({
    most: Infinity,
    maxPerKey: callsPerUser,
    maxWaitingPerKey: maxWaitingPerUser,
    patienceMs,
  })
  const large = openFairSlots({
    most: Infinity,
    maxPerKey: largeCallsPerApp,
    maxWaitingPerKey: maxLargeWaitingPerApp,
    patienceMs,
  })
  const loop = openLoopShare()
  /** Whoever has a slot pays for those before. */
  const untilPaid = async (appId: string) => {
    const ms = loop.msToWait(appId)
    if (ms > 0) await sleep(ms)
  }
  return {
    enter(caller) {
      if (caller.kind !== 'device') return undefined
      return enterOr('too many calls of this user at once', () => users.enter(nameOf(caller)))
    },
    leave(caller) {
      if (caller.kind === 'device') users.leave(nameOf(caller))
    },
    seen: loop.seen,
    enterLarge(appId) {
      const turn = enterOr('too many large calls of this app at once', () => large.enter(appId))
      if (turn !== undefined) return turn.then(() => untilPaid(appId))
      return loop.msToWait(appId) > 0 ? untilPaid(appId) : undefined
    },
    leaveLarge: (appId) => large.leave(appId),
    heldLoop: loop.spend,
  }
}

function nameOf({ app, actor }: Extract<Caller, { kind: 'device' }>): string {
  return `${app.appId} ${actor.uid}`
}

function enterOr(
  refusal: string,
  enter: () => Promise<void> | undefined,
): Promise<void> | undefined {
  const refuse = (error: unknown): never => {
    throw error instanceof NoSlot ? tooManyRequests(refusal, 1) : error
  }
  try {
    return enter()?.catch(refuse)
  } catch (error) {
    return refuse(error)
  }
}
