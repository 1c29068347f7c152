import { SessionError } from '../errors.ts'
import type { Draft, Outbox, Outgoing } from './outgoing.ts'
import type { Positions, Timeline } from './timeline.ts'

/** Where a session keeps unsent messages and positions, so that a closed page forgets nothing. */
export interface SessionStorage {
  /** All that was kept. */
  entries(): Promise<readonly (readonly [key: string, value: unknown])[]>
  /** Keeps a value in place of the earlier one. Values are plain data. */
  set(key: string, value: unknown): Promise<void>
  /** Forgets a value. */
  delete(key: string): Promise<void>
}

/** What a session has kept, and keeps. */
export interface Keeper {
  /** Rejects if the storage cannot be read. */
  readonly restored: Promise<void>
  /** What another user has left unsent is not sent. */
  welcome(uid: string): void
  hearOutgoing(outgoing: Outgoing): void
  hearPositions(positions: Positions): void
}

interface KeeperParts {
  readonly storage: SessionStorage
  readonly outbox: () => Outbox
  readonly timeline: () => Timeline
  onError(error: unknown): void
}

interface Unsent {
  readonly at: number
  readonly draft: Draft
}

const [queueOf, positionsKey, userKey] = ['unsent/', 'positions', 'user']

export function openKeeper({ storage, outbox, timeline, onError }: KeeperParts): Keeper {
  const keep = (work: Promise<void>) => void work.catch(onError)
  let owner: unknown
  let last = 0

  async function restore(): Promise<void> {
    const kept = new Map(await storage.entries())
    owner = kept.get(userKey)
    // Written below, under these keys.
    const positions = kept.get(positionsKey) as Positions | undefined
    if (positions) timeline().restore(positions)
    const unsent = [...kept].flatMap(([key, value]) =>
      key.startsWith(queueOf) ? [value as Unsent] : [],
    )
    unsent.sort((a, b) => a.at - b.at)
    outbox().restore(unsent.map(({ draft }) => draft))
  }

  return {
    restored: restore(),
    welcome(uid) {
      if (owner !== undefined && owner !== uid) outbox().drop()
      owner = uid
      keep(storage.set(userKey, uid))
    },
    hearOutgoing({ clientId, draft, state, error }) {
      // Two of the same millisecond keep their order.
      last = Math.max(Date.now(), last + 1)
      const key = queueOf + clientId
      if (state === 'sending') keep(storage.set(key, { at: last, draft: { ...draft, clientId } }))
      else if (!(error instanceof SessionError && error.code === 'closed'))
        keep(storage.delete(key))
    },
    hearPositions: (positions) => keep(storage.set(positionsKey, positions)),
  }
}
