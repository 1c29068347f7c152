import type { Position } from '@chorale/contract/frames'
import type { Signals } from '../bus/signals.ts'
import { type CatchUpParts, catchUp, type Place } from './catch-up.ts'
import { print, printWelcome } from './frames.ts'
import type { Followers } from './hub/followers.ts'
import type { Feed, Seat, Users } from './ports.ts'
import type { Seats } from './seats.ts'
import type { Session } from './session.ts'
import type { ConversationKey } from './signals.ts'

export interface EntranceParts extends CatchUpParts {
  readonly feed: Feed
  readonly seats: Seats
  readonly users: Pick<Users, 'self'>
  readonly signals: Signals
  readonly followers: Followers
  readonly heartbeatMs: number
}

type Positions = Readonly<Record<string, Position>>

/** Conversations that begin while others are read are told of by a signal too. */
const mostRounds = 3

/** Lets a session in: what there is, what it has missed, and from then on what happens. */
export async function enter(
  parts: EntranceParts,
  session: Session,
  positions: Positions = {},
): Promise<void> {
  const { appId, uid } = session.identity
  const [seats, self] = await Promise.all([takeSeats(parts, session), parts.users.self(appId, uid)])
  const known = withoutShared(seats, positions)
  const heads = Object.fromEntries(seats.map(({ label, head }) => [label, head]))
  session.connection.say(printWelcome(self, parts.heartbeatMs, heads))
  for (const conversationId of Object.keys(positions)) {
    if (!heads[conversationId]) session.connection.say(print({ type: 'left', conversationId }))
  }
  // Whoever knows others has not heard of these.
  const isBack = Object.keys(positions).length > 0
  for (const seat of seats) if (isBack && !known[seat.label]) reload(session, seat)
  await catchUp(parts, session, placesOf(session, seats, known))
  session.letIn()
}

/** Where two conversations of the user have one label, nobody knows of which the position is. */
function withoutShared(seats: readonly Seat[], positions: Positions): Positions {
  const byLabel = Map.groupBy(seats, ({ label }) => label)
  const isShared = (label: string) => (byLabel.get(label)?.length ?? 0) > 1
  return Object.fromEntries(Object.entries(positions).filter(([label]) => !isShared(label)))
}

/** Follows every conversation of the user, and reads where each stands only after that. */
async function takeSeats(parts: EntranceParts, session: Session): Promise<readonly Seat[]> {
  let seats = await parts.seats(session.identity)
  for (let round = 0; round < mostRounds; round++) {
    const fresh = seats.filter(({ key }) => !session.following.has(key))
    if (round > 0 && fresh.length === 0) break
    for (const seat of fresh) follow(parts, session, seat)
    await parts.signals.settled()
    seats = await parts.seats(session.identity)
  }
  const keys = new Set(seats.map(({ key }) => key))
  for (const key of session.following.keys()) if (!keys.has(key)) stop(parts, session, key)
  return seats.filter(({ key }) => session.following.has(key))
}

/** Someone takes part from this seq on. */
export async function join(
  parts: EntranceParts,
  session: Session,
  at: ConversationKey,
  seq: number,
): Promise<void> {
  const { appId, uid } = session.identity
  const seat = await parts.feed.seatOf(appId, uid, at)
  if (!seat) return
  // Someone who left and came back is still to be seen leaving.
  await session.following.get(seat.key)?.passed(seq)
  if (session.following.has(seat.key)) return
  follow(parts, session, seat)
  await parts.signals.settled()
  const now = await parts.feed.seatOf(appId, uid, at)
  if (!now) return stop(parts, session, seat.key)
  const from = { seq: seq - 1, change: now.head.change }
  await catchUp(parts, session, placesOf(session, [now], { [now.label]: from }))
}

/** The device is to read the conversation anew. */
export function reload(session: Session, { label, head }: Seat): void {
  session.connection.say(print({ type: 'reload', conversationId: label, position: head }))
}

export function leave(parts: EntranceParts, session: Session): void {
  for (const key of [...session.following.keys()]) stop(parts, session, key)
}

function follow({ followers }: EntranceParts, session: Session, seat: Seat): void {
  // Whoever is closed has left already, and would stay for ever.
  if (!session.connection.isOpen) return
  const follower = followers.open(seat)
  session.following.set(seat.key, follower)
  follower.channel.wait(session)
}

function stop({ followers }: EntranceParts, session: Session, key: number): void {
  const follower = session.following.get(key)
  session.following.delete(key)
  follower?.channel.remove(session)
  if (follower) followers.release(follower.followed)
}

function placesOf(session: Session, seats: readonly Seat[], positions: Positions): Place[] {
  return seats.flatMap((seat) => {
    const follower = session.following.get(seat.key)
    return follower ? [{ seat, follower, from: positions[seat.label] }] : []
  })
}
