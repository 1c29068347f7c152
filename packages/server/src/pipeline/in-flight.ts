import { setTimeout as sleep } from 'node:timers/promises'
import type { ActiveApps } from '../limits/active-apps.ts'
import { NoSlot, openFairSlots } from '../limits/fair-slots.ts'
import { openFlow } from '../limits/flow.ts'
import type { Caller } from './caller.ts'
import { tooManyRequests } from './failure.ts'

/**
 * Calls that this process handles at the same time, over whatever wire they came. A user has a few
 * at once, and a few more wait; who has held connections to the database for long has one at once.
 * Of an app only large calls are counted, and the time for which they hold the event loop; beside
 * these, its connections to the database are, where they are taken.
 */
export interface InFlight {
  /** Undefined: it is not counted. Throws or rejects with the refusal; a call that began ends with `leave`. */
  enter(caller: Caller): Entry | Promise<Entry> | undefined
  /** A call of the app has come, of whatever size. */
  seen(appId: string): void
  /** Undefined: it may begin. As `enter`, for a large call, whose app it counts for; ends with `leaveLarge`. */
  enterLarge(appId: string): Promise<void> | undefined
  leaveLarge(appId: string): void
  /** A large call of the app has held the event loop for so long. */
  heldLoop(appId: string, ms: number): void
  /** A part of a large call: while other apps call, once that is paid, and one part of the app at once. */
  inPart<T>(appId: string, work: (isShared: boolean) => Promise<T>): Promise<T>
}

/** A call of a user that has begun. */
interface Entry {
  /** It has held a connection to the database for so long. */
  heldConnection(ms: number): void
  leave(): void
}

const maxWaitingPerUser = 32
const patienceMs = 5000
/**
 * Reading, checking and printing a large call takes milliseconds of the one event loop. More of them
 * at once would not be answered sooner, but whoever comes next would wait for all of them.
 */
const largeCallsPerApp = 2
const maxLargeWaitingPerApp = 100
/** A tenth of the loop. */
const loopMsPerSecond = 100
/** A page of messages takes a few milliseconds. */
const connectionMsPerSecond = 300
const connectionMsAtOnce = 3000

const tooManyOfUser = 'too many calls of this user at once'

export function openInFlight(callsPerUser: number, apps: ActiveApps): InFlight {
  const ofUsers = { most: Infinity, maxWaitingPerKey: maxWaitingPerUser, patienceMs }
  const users = openFairSlots({ ...ofUsers, maxPerKey: callsPerUser })
  const indebted = openFairSlots({ ...ofUsers, maxPerKey: 1 })
  const large = openFairSlots({
    most: Infinity,
    maxPerKey: largeCallsPerApp,
    maxWaitingPerKey: maxLargeWaitingPerApp,
    patienceMs,
  })
  const loop = openFlow({ perSecond: loopMsPerSecond })
  const connections = openFlow({ perSecond: connectionMsPerSecond, most: connectionMsAtOnce })
  const loopMsInDebt = (appId: string) => (apps.hasOther(appId) ? loop.msInDebt(appId) : 0)
  /** Whoever has a slot pays for those before. */
  const untilPaid = async (appId: string) => {
    const ms = loopMsInDebt(appId)
    if (ms > 0) await sleep(ms)
  }

  const oneByOne = openOneByOne()

  const entryOf = (user: string, leave: () => void): Entry => ({
    heldConnection: (ms) => connections.spend(user, ms),
    leave,
  })
  const isInDebt = (appId: string, user: string) =>
    apps.hasOther(appId) && connections.msInDebt(user) > 0
  /** Of a user in debt, who has one of the ordinary slots already. */
  const enterIndebted = async (user: string): Promise<Entry> => {
    try {
      await enterOr(tooManyOfUser, () => indebted.enter(user))
    } catch (error) {
      users.leave(user)
      throw error
    }
    const entry = entryOf(user, () => {
      indebted.leave(user)
      users.leave(user)
    })
    const ms = connections.msInDebt(user)
    if (ms > patienceMs) {
      entry.leave()
      throw tooManyRequests('this user has kept the database busy', Math.ceil(ms / 1000))
    }
    await sleep(ms)
    return entry
  }
  return {
    enter(caller) {
      if (caller.kind !== 'device') return undefined
      const { appId } = caller.app
      const user = `${appId} ${caller.actor.uid}`
      const begin = () =>
        isInDebt(appId, user) ? enterIndebted(user) : entryOf(user, () => users.leave(user))
      const turn = enterOr(tooManyOfUser, () => users.enter(user))
      return turn === undefined ? begin() : turn.then(begin)
    },
    seen: apps.seen,
    enterLarge(appId) {
      const turn = enterOr('too many large calls of this app at once', () => large.enter(appId))
      if (turn !== undefined) return turn.then(() => untilPaid(appId))
      return loopMsInDebt(appId) > 0 ? untilPaid(appId) : undefined
    },
    leaveLarge: (appId) => large.leave(appId),
    heldLoop: loop.spend,
    async inPart(appId, work) {
      if (!apps.hasOther(appId)) return work(false)
      return oneByOne(appId, async () => {
        await untilPaid(appId)
        return work(true)
      })
    },
  }
}

/** Work of a key, in the order in which it came. */
function openOneByOne() {
  const last = new Map<string, Promise<unknown>>()
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(key)
    const done = (async () => {
      // How it ended is told to whoever called it.
      await before?.catch(() => undefined)
      return work()
    })()
    last.set(key, done)
    try {
      return await done
    } finally {
      if (last.get(key) === done) last.delete(key)
    }
  }
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
