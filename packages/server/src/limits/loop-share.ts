import { openFlow } from './flow.ts'

/** How long large calls of an app may hold the event loop, which it shares with other apps. */
export interface LoopShare {
  /** A call of the app has come. */
  seen(appId: string): void
  /** A large call of the app has held the loop for so long. */
  spend(appId: string, ms: number): void
  /** Before its next large call begins. 0 while no other app calls. */
  msToWait(appId: string): number
}

/** A tenth of the loop. */
const msPerSecond = 100
/** So long after its last call an app is still counted as one that calls. */
const activeMs = 1000

export function openLoopShare(clock: () => number = () => performance.now()): LoopShare {
  const flow = openFlow(msPerSecond, clock)
  // The two apps that have called last: of any app, one of them is another.
  let last = { appId: '', at: -Infinity }
  let other = last
  return {
    seen(appId) {
      const at = clock()
      if (last.appId === appId) {
        last.at = at
        return
      }
      other = last
      last = { appId, at }
    },
    spend: flow.spend,
    msToWait(appId) {
      const neighbour = last.appId === appId ? other : last
      return clock() - neighbour.at > activeMs ? 0 : flow.msInDebt(appId)
    },
  }
}
