import type pg from 'pg'
import type { ActiveApps } from '../limits/active-apps.ts'
import { NoSlot, openFairSlots } from '../limits/fair-slots.ts'
import { openFlow } from '../limits/flow.ts'

/** So many calls of the app wait for a connection already that this one is refused. */
export class ShareUsedUp extends Error {
  constructor() {
    super('Too many calls of this app wait for the database.')
  }
}

/** Whose connections these are; those of one app are counted together. */
export interface Share {
  /** `isWanted` is asked after a wait: whoever asked may have given up. */
  connect(pool: pg.Pool, isWanted: () => boolean): Promise<pg.PoolClient>
  /** Once for each `connect`, when the connection is back after so long, or did not come. */
  leave(heldMs: number): void
}

const maxWaitingPerApp = 1000
/** Kept free while only one app asks, for the next that comes. */
const reserve = 2
/** Of an app that has kept more than these busy for so long, while another app calls. */
const busyShare = 0.2
const busyMs = 5000

export interface Shares {
  of(appId: string): Share
  /** Calls that wait for a connection of their app. */
  waiting(): number
}

/**
 * An app has all connections but a few while no other app calls; half of them while one does; and a
 * fifth once it has kept more than that busy for seconds. Calls that are short fit into a fifth.
 */
export function openShares(connections: number, apps: ActiveApps | undefined): Shares {
  const half = Math.ceil(connections / 2)
  const alone = Math.max(half, connections - reserve)
  const whenBusy = Math.ceil(connections * busyShare)
  const held = openFlow({ perSecond: whenBusy * 1000, most: whenBusy * busyMs })
  const slots = openFairSlots({
    most: connections,
    maxPerKey(appId, isAlone) {
      if (isAlone && !apps?.hasOther(appId)) return alone
      return held.msInDebt(appId) > 0 ? whenBusy : half
    },
    maxWaitingPerKey: maxWaitingPerApp,
  })
  return {
    of: (appId) => ({
      connect(pool, isWanted) {
        const turn = enter(slots, appId)
        if (!turn) return pool.connect()
        return turn.then(() => {
          if (isWanted()) return pool.connect()
          throw new ShareUsedUp()
        })
      },
      leave(heldMs) {
        held.spend(appId, heldMs)
        slots.leave(appId)
      },
    }),
    waiting: () => slots.waiting(),
  }
}

function enter(slots: ReturnType<typeof openFairSlots>, appId: string) {
  try {
    return slots.enter(appId)
  } catch (error) {
    throw error instanceof NoSlot ? new ShareUsedUp() : error
  }
}
