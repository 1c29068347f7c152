import { NoSlot, openFairSlots } from '../limits/fair-slots.ts'
import type { Caller } from './caller.ts'
import { tooManyRequests } from './failure.ts'

/**
 * Calls of devices that this process handles at the same time, over whatever wire they came: a user
 * has a few at once, and a few more wait. Those of an app are not counted: its connections to the
 * database are, where they are taken.
 */
export interface InFlight {
  /** Undefined: it may begin. Throws or rejects with the refusal; a call that began ends with `leave`. */
  enter(caller: Caller): Promise<void> | undefined
  leave(caller: Caller): void
}

const mostWaitingPerUser = 32
const patienceMs = 5000

export function openInFlight(callsPerUser: number): InFlight {
  const users = openFairSlots({
    most: Infinity,
    mostPerKey: callsPerUser,
    mostWaitingPerKey: mostWaitingPerUser,
    patienceMs,
  })
  return {
    enter(caller) {
      if (caller.kind !== 'device') return undefined
      try {
        return users.enter(nameOf(caller))?.catch(refuse)
      } catch (error) {
        return refuse(error)
      }
    },
    leave(caller) {
      if (caller.kind === 'device') users.leave(nameOf(caller))
    },
  }
}

function nameOf({ app, actor }: Extract<Caller, { kind: 'device' }>): string {
  return `${app.appId} ${actor.uid}`
}

function refuse(error: unknown): never {
  throw error instanceof NoSlot ? tooManyRequests('too many calls of this user at once', 1) : error
}
