import type pg from 'pg'
import { NoSlot, openFairSlots } from '../limits/fair-slots.ts'

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
  /** Once for each `connect`, when the connection is back or did not come. */
  leave(): void
}

const maxWaitingPerApp = 1000
/** Kept free while only one app asks, for the next that comes. */
const reserve = 2

export interface Shares {
  of(appId: string): Share
  /** Calls that wait for a connection of their app. */
  waiting(): number
}

/** An app has half of the connections, or all but a few while no other app wants any. */
export function openShares(connections: number): Shares {
  const half = Math.ceil(connections / 2)
  const slots = openFairSlots({
    most: connections,
    maxPerKey: half,
    maxAlone: Math.max(half, connections - reserve),
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
      leave: () => slots.leave(appId),
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
