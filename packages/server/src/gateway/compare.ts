import type { Logger } from 'pino'
import { type EntranceParts, join, reload } from './entrance.ts'
import type { Follower } from './hub/follower.ts'
import type { Followers } from './hub/followers.ts'
import type { People, Person } from './people.ts'
import type { Feed, Seat } from './ports.ts'

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

/**
 * Finds what no signal told of: a lost last message, a lost arrival. One statement for many
 * conversations, one for many users, every few seconds, in turn.
 */
export function startComparing(parts: CompareParts): Disposable & { all(): void } {
  const conversations = inTurn(() => parts.followers.all(), mostHeads)
  const people = inTurn(() => parts.people.all(), mostPeople)
  let busy = false

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
  }

  const timer = setInterval(() => void round(conversations(), people()), parts.compareMs)
  return {
    /** After an absence of NATS: everything may be behind. */
    all: () => void round([...parts.followers.all()], [...parts.people.all()]),
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
    const some = people.slice(start, start + mostPeople)
    // What is followed later than this is not in what is read now.
    const before = new Map(
      some.flatMap(({ sessions }) =>
        [...sessions].map((session) => [session, new Map(session.following)] as const),
      ),
    )
    const seats = Map.groupBy(await parts.feed.seatsOf(some), nameOf)
    for (const [session, following] of before) {
      const own = new Map((seats.get(nameOf(session.identity)) ?? []).map((s) => [s.label, s]))
      for (const [label, follower] of following) if (!own.has(label)) follower.dismiss(session)
      await takeMissing(parts, session, own)
    }
  }
}

type Session = Parameters<typeof join>[1]

async function takeMissing(
  parts: CompareParts,
  session: Session,
  seats: ReadonlyMap<string, Seat>,
): Promise<void> {
  for (const seat of seats.values()) {
    if (session.following.has(seat.label) || !session.isIn) continue
    reload(session, seat)
    await join(parts, session, seat, seat.head.seq + 1)
  }
}

function nameOf({ appId, uid }: { readonly appId: string; readonly uid: string }): string {
  return `${appId} ${uid}`
}
