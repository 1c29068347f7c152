import { setTimeout as after } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Feed, FollowedConversation } from '../realtime/ports.ts'
import type { Person, ProfileLoader } from './connected-users.ts'
import type { ConversationStream } from './hub/conversation-stream.ts'
import type { ConversationStreams } from './hub/conversation-streams.ts'
import { type JoinParts, join, reload } from './join.ts'
import type { Session } from './session.ts'

export interface CompareParts extends JoinParts {
  readonly feed: Feed
  readonly streams: ConversationStreams
  readonly people: ProfileLoader
  readonly compareMs: number
  readonly log: Logger
}

/** In one round. What is left has its turn in the next. */
const maxHeads = 5000
const maxPeople = 50
/** How long a signal may take. */
const signalMs = 1000

/**
 * Finds what no signal told of: a lost last message, a lost arrival. One statement for many
 * conversations, one for many users, every few seconds, in turn.
 */
export function startComparing(parts: CompareParts): Disposable & { all(): void } {
  const conversations = inTurn(() => parts.streams.all(), maxHeads)
  const people = inTurn(() => parts.people.all(), maxPeople)
  let busy = false
  let missed = false

  async function round(
    streams: readonly ConversationStream[],
    persons: readonly Person[],
  ): Promise<void> {
    if (busy) return
    busy = true
    try {
      await compareHeads(parts, streams)
      await comparePeople(parts, persons)
    } catch (error) {
      parts.log.warn(
        { err: error },
        'could not compare open connections with the log; trying again at the next interval',
      )
    } finally {
      busy = false
    }
    if (missed) await all()
  }

  /** After an absence of NATS: everything may be behind. */
  async function all(): Promise<void> {
    // What the round under way has read already may be from before.
    missed = busy
    if (!busy) await round([...parts.streams.all()], [...parts.people.all()])
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

async function compareHeads(
  { feed }: CompareParts,
  streams: readonly ConversationStream[],
): Promise<void> {
  const begun = streams.filter((stream) => stream.begun)
  for (let start = 0; start < begun.length; start += maxHeads) {
    const some = begun.slice(start, start + maxHeads)
    const rows = await feed.heads(some.map(({ followed }) => followed))
    const headOf = new Map(rows.map((row) => [row.key, row]))
    for (const stream of some) {
      const head = headOf.get(stream.followed.key)
      if (head) stream.compare({ seq: head.head, change: head.change })
      else stream.gone()
    }
  }
}

async function comparePeople(parts: CompareParts, people: readonly Person[]): Promise<void> {
  for (let start = 0; start < people.length; start += maxPeople) {
    const suspects = await suspectsAmong(parts, people.slice(start, start + maxPeople))
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
  const stream = session.following.get(at.key)
  if (membership && !stream && session.isIn) {
    reload(session, membership)
    await join(parts, session, at, membership.head.seq + 1)
  } else if (!membership && stream) {
    // With the departure, if it can be read.
    await stream.readNow()
    stream.dismiss(session)
  }
}

function nameOf({ appId, uid }: { readonly appId: string; readonly uid: string }): string {
  return `${appId} ${uid}`
}
