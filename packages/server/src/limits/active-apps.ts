/** Which apps call: what an app may use of a process depends on whether another one needs it. */
export interface ActiveApps {
  /** A call of the app has come. */
  seen(appId: string): void
  /** Whether another app has called within the last second. */
  hasOther(appId: string): boolean
}

const activeMs = 1000

export function openActiveApps(clock: () => number = () => performance.now()): ActiveApps {
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
    hasOther(appId) {
      const neighbour = last.appId === appId ? other : last
      return clock() - neighbour.at <= activeMs
    },
  }
}
