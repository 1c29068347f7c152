import type { InstallDb } from '../../database/app-db.ts'
import type { Transactions } from '../../outbox/unit-of-work.ts'
import type { PresenceStore } from '../../realtime/ports.ts'
import {
  crowdedAmong,
  deleteHeld,
  deleteLeases,
  findExpired,
  hasExpired,
  insertHeld,
  lockPresence,
  type PresenceRow,
  renewLease,
  settlePresence,
  usersOf,
} from './presence.sql.ts'

export interface PresenceOptions {
  readonly database: InstallDb
  readonly transactions: Transactions
  /** With more users of an app online than this, nobody is told of their coming and going. */
  readonly maxOnline: number
}

/** What gateways say of who is connected, many users in one transaction. */
export function openPresenceStore({
  database,
  transactions,
  maxOnline,
}: PresenceOptions): PresenceStore {
  /** Does the work between locking and settling, and tells what came of it. */
  function settle(
    work: (db: InstallDb, now: number) => Promise<readonly { appId: string; uid: string }[]>,
  ) {
    return transactions.inInstall(async ({ db, outbox, now }) => {
      const changed = await settlePresence(db, await work(db, now), now)
      await outbox.append(changed.map((row) => eventOf(row, now)))
      return byApp(db, changed, now)
    })
  }

  async function byApp(db: InstallDb, changed: readonly PresenceRow[], now: number) {
    const apps = Map.groupBy(changed, ({ appId }) => appId)
    const crowded = await crowdedAmong(db, [...apps.keys()], maxOnline)
    return [...apps].map(([appId, rows]) => ({
      appId,
      crowded: crowded.has(appId),
      changes: rows.map(({ uid, role, online }) => ({ uid, role, online, at: now })),
    }))
  }

  return {
    renew: (gatewayId) => renewLease(database, gatewayId),

    move: (gatewayId, moves) =>
      settle(async (db, now) => {
        await lockPresence(db, moves, now)
        const came = moves.filter(({ here }) => here)
        const went = moves.filter(({ here }) => !here)
        await insertHeld(db, gatewayId, came)
        await deleteHeld(db, gatewayId, went)
        return moves
      }),

    async sweep(leaseSeconds) {
      if (!(await hasExpired(database, leaseSeconds))) return []
      return settle(async (db, now) => {
        const expired = await findExpired(db, leaseSeconds)
        const left = await usersOf(db, expired)
        await lockPresence(db, left, now)
        await deleteLeases(db, expired)
        return left
      })
    },
  }
}

function eventOf({ appId, uid, online }: PresenceRow, now: number) {
  const status = online ? 'available' : 'offline'
  const payload = { uid, status, lastActiveAt: now } as const
  return { appId, name: 'user.connectionStatusChanged', payload } as const
}
