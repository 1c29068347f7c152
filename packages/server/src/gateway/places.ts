import { addressGroup } from '../pipeline/address-limits.ts'
import type { Connection } from './connection.ts'

export interface PlacesOptions {
  /** Of those who have signed in. */
  readonly connections: number
  /** Of those who have not, in all and from one address. */
  readonly pending: number
  readonly pendingPerAddress: number
  /** What those may send in all; a little is everybody's. */
  readonly pendingBytes: number
}

interface Pending {
  readonly group: string
  bytes: number
  /** Ends it at once: whoever says nothing is not owed a goodbye. */
  readonly cut: () => void
}

/** Who has a place. Strangers have places of their own, and cannot take those of others. */
export interface Places {
  /** None is left for whoever would sign in. */
  readonly isFull: boolean
  all(): Iterable<Connection>
  readonly size: number
  /** A stranger. When there are too many, the one that has waited longest is cut off. */
  enter(connection: Connection, address: string, cut: () => void): void
  /** Counts what it has sent: whoever sends too much before signing in is cut off. */
  heard(connection: Connection, bytes: number): void
  /** False: there is no place. */
  signIn(connection: Connection): boolean
}

/** A first frame has a token; only who comes back after many conversations says more. */
const freeBytes = 4096

export function openPlaces(options: PlacesOptions): Places {
  const signedIn = new Set<Connection>()
  const pending = new Map<Connection, Pending>()
  const byGroup = new Map<string, Set<Connection>>()
  let bytesInAll = 0

  function leave(connection: Connection): Pending | undefined {
    signedIn.delete(connection)
    const entry = pending.get(connection)
    if (!entry) return undefined
    pending.delete(connection)
    bytesInAll -= entry.bytes
    const group = byGroup.get(entry.group)
    group?.delete(connection)
    if (group?.size === 0) byGroup.delete(entry.group)
    return entry
  }

  function cutOldest(of: Iterable<Connection>): void {
    for (const oldest of of) {
      leave(oldest)?.cut()
      return
    }
  }

  return {
    get isFull() {
      return signedIn.size >= options.connections
    },
    get size() {
      return signedIn.size + pending.size
    },
    *all() {
      yield* signedIn
      yield* pending.keys()
    },
    enter(connection, address, cut) {
      const group = addressGroup(address)
      const others = byGroup.get(group) ?? new Set()
      if (others.size >= options.pendingPerAddress) cutOldest(others)
      if (pending.size >= options.pending) cutOldest(pending.keys())
      pending.set(connection, { group, cut, bytes: 0 })
      byGroup.set(group, others.add(connection))
      void connection.closed.then(() => leave(connection))
    },
    heard(connection, bytes) {
      const entry = pending.get(connection)
      if (!entry) return
      entry.bytes += bytes
      bytesInAll += bytes
      const tooMuch = entry.bytes > freeBytes && bytesInAll > options.pendingBytes
      if (tooMuch) leave(connection)?.cut()
    },
    signIn(connection) {
      if (signedIn.size >= options.connections) return false
      leave(connection)
      if (connection.isOpen) signedIn.add(connection)
      return true
    },
  }
}
