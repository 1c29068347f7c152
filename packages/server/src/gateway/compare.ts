import { setTimeout as after } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Feed, FollowedConversation } from '../realtime/ports.ts'
import { type EntranceParts, join, reload } from './entrance.ts'
import type { Follower } from './hub/follower.ts'
import type { Followers } from './hub/followers.ts'
import type { People, Person } from './people.ts'
import type { Session } from './session.ts'

export interface CompareParts extends EntranceParts {
  readonly feed: Feed
  readonly followers: Followers
  readonly people: People
  readonly compareMs: number
  readonly log: Logger
}

/** In one round. What is left has its turn in the next. */
const mostHeads = 5000
const mostPeople = 50
/** How long a signal may take. */
const signalMs = 1000

/**
 * Finds what no signal told of: a lost last message, a lost arrival. One statement for many
 * conversations, one for many users, every few seconds, in turn.
 */
export function startComparing(parts: CompareParts): Disposable & { all(): void } {
  const conversations = inTurn(() => parts.followers.all(), mostHeads)
  const people = inTurn(() => parts.people.all(), mostPeople)
  let busy = false
  let missed = false

  async function round(followers: readonly Follower[], persons: readonly Person[]): Promise<void> {
    if (busy) return
    busy = true
    try {
      await compareHeads(parts, followers)
      await comparePeople(parts, persons)
    } catch (error) {
      parts.log.warn({ err: error }, 'what is open could not be compared with the log')
    } finally {
      busy = false
    }
    if (missed) await all()
  }

  /** After an absence of NATS: everything may be behind. */
  async function all(): Promise<void> {
    // What the round under way has read already may be from before.
    missed = busy
    if (!busy) await round([...parts.followers.all()], [...parts.people.all()])
  }

  const timer = setInterval(() => void round(conversations(), people()), parts.compareMs)
  return {
    all: () => void all(),
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

/** The next of them, beginning again after the last. */
function inTurn<T>(all: () => Iterable<T>, most: number): () => T[] {
  let place = 0
  return () => {
    const items = [...all()]
    if (items.length <= most) return items
    if (place >= items.length) place = 0
    const turn = items.slice(place, place + most)
    place += most
    return turn
  }
}

async function compareHeads({ feed }: CompareParts, followers: readonly Follower[]): Promise<void> {
  const begun = followers.filter((follower) => follower.begun)
  for (let start = 0; start < begun.length; start += mostHeads) {
    const some = begun.slice(start, start + mostHeads)
    const rows = await feed.heads(some.map(({ followed }) => followed))
    const headOf = new Map(rows.map((row) => [row.key, row]))
    for (const follower of some) {
      const head = headOf.get(follower.followed.key)
      if (head) follower.compare({ seq: head.head, change: head.change })
      else follower.gone()
    }
  }
}

async function comparePeople(parts: CompareParts, people: readonly Person[]): Promise<void> {
  for (let start = 0; start < people.length; start += mostPeople) {
    const suspects = await suspectsAmong(parts, people.slice(start, start + mostPeople))
    if (suspects.length === 0) continue
    // Most of these have only just happened, and the signal is on its way.
    await after(signalMs, undefined, { ref: false })
    for (const suspect of suspects) await settle(parts, suspect)
  }
}

/** A session follows what is not theirs, or does not follow what is. */
interface Suspect {
  readonly session: Session
  readonly at: FollowedConversation
}

async function suspectsAmong(
  { feed }: CompareParts,
  people: readonly Person[],
): Promise<readonly Suspect[]> {
  // What is followed later than this is not in what is read now.
  const before = people.flatMap(({ sessions }) =>
    [...sessions].map((session) => ({ session, following: new Map(session.following) })),
  )
  const memberships = Map.groupBy(await feed.membershipsOf(people), nameOf)
  return before.flatMap(({ session, following }) => {
    const own = new Map(
      memberships.get(nameOf(session.identity))?.map((membership) => [membership.key, membership]),
    )
    const gone = [...following.values()].filter(({ followed }) => !own.has(followed.key))
    const missing = [...own.values()].filter(({ key }) => !session.following.has(key))
    return [...gone.map(({ followed }) => followed), ...missing].map((at) => ({ session, at }))
  })
}

async function settle(parts: CompareParts, { session, at }: Suspect): Promise<void> {
  const { appId, uid } = session.identity
  const membership = await parts.feed.membershipOf(appId, uid, at)
  const follower = session.following.get(at.key)
  if (membership && !follower && session.isIn) {
    reload(session, membership)
    await join(parts, session, at, membership.head.seq + 1)
  } else if (!membership && follower) {
    // With the departure, if it can be read.
    await follower.readNow()
    follower.dismiss(session)
  }
}

function nameOf({ appId, uid }: { readonly appId: string; readonly uid: string }): string {
  return `${appId} ${uid}`
}
