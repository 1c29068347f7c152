import { NoSlot, openFairSlots } from '../limits/fair-slots.ts'
import type { Caller } from './caller.ts'
import { tooManyRequests } from './failure.ts'

/**
 * Calls that this process handles at the same time, over whatever wire they came. A user has a few
 * at once, and a few more wait. Of an app only large calls are counted; beside these, its connections
 * to the database are, where they are taken.
 */
export interface InFlight {
  /** Undefined: it may begin. Throws or rejects with the refusal; a call that began ends with `leave`. */
  enter(caller: Caller): Promise<void> | undefined
  leave(caller: Caller): void
  /** The same, for a large call, whose app they count for. */
  enterLarge(appId: string): Promise<void> | undefined
  leaveLarge(appId: string): void
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
  return {
    enter(caller) {
      if (caller.kind !== 'device') return undefined
      return enterOr('too many calls of this user at once', () => users.enter(nameOf(caller)))
    },
    leave(caller) {
      if (caller.kind === 'device') users.leave(nameOf(caller))
    },
    enterLarge: (appId) =>
      enterOr('too many large calls of this app at once', () => large.enter(appId)),
    leaveLarge: (appId) => large.leave(appId),
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
