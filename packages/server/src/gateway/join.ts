import type { Position } from '@chorale/contract/frames'
import type { Signals } from '../bus/signals.ts'
import type { ConversationKey } from '../outbox/committed.ts'
import type { Feed, Membership } from '../realtime/ports.ts'
import { type CatchUpParts, catchUp, type Place } from './catch-up.ts'
import { print, serialiseWelcome } from './frames.ts'
import type { ConversationStreams } from './hub/conversation-streams.ts'
import type { Memberships } from './memberships.ts'
import type { Session } from './session.ts'
import type { Users } from './users.ts'

export interface JoinParts extends CatchUpParts {
  readonly feed: Feed
  readonly memberships: Memberships
  readonly users: Pick<Users, 'self'>
  readonly signals: Signals
  readonly streams: ConversationStreams
  readonly heartbeatMs: number
}

type Positions = Readonly<Record<string, Position>>

/** Conversations that begin while others are read are told of by a signal too. */
const maxRounds = 3

/** Lets a session in: what there is, what it has missed, and from then on what happens. */
export async function enter(
  parts: JoinParts,
  session: Session,
  positions: Positions = {},
): Promise<void> {
  const { appId, uid } = session.identity
  const [memberships, self] = await Promise.all([
    takeMemberships(parts, session),
    parts.users.self(appId, uid),
  ])
  const known = withoutShared(memberships, positions)
  const heads = Object.fromEntries(memberships.map(({ label, head }) => [label, head]))
  session.connection.say(serialiseWelcome(self, parts.heartbeatMs, heads))
  for (const conversationId of Object.keys(positions)) {
    if (!heads[conversationId]) session.connection.say(print({ type: 'left', conversationId }))
  }
  // Whoever knows others has not heard of these.
  const isBack = Object.keys(positions).length > 0
  for (const membership of memberships)
    if (isBack && !known[membership.label]) reload(session, membership)
  await catchUp(parts, session, placesOf(session, memberships, known))
  session.letIn()
}

/** Where two conversations of the user have one label, nobody knows of which the position is. */
function withoutShared(memberships: readonly Membership[], positions: Positions): Positions {
  const byLabel = Map.groupBy(memberships, ({ label }) => label)
  const isShared = (label: string) => (byLabel.get(label)?.length ?? 0) > 1
  return Object.fromEntries(Object.entries(positions).filter(([label]) => !isShared(label)))
}

/** Follows every conversation of the user, and reads where each stands only after that. */
async function takeMemberships(parts: JoinParts, session: Session): Promise<readonly Membership[]> {
  let memberships = await parts.memberships(session.identity)
  for (let round = 0; round < maxRounds; round++) {
    const fresh = memberships.filter(({ key }) => !session.following.has(key))
    if (round > 0 && fresh.length === 0) break
    for (const membership of fresh) follow(parts, session, membership)
    await parts.signals.settled()
    memberships = await parts.memberships(session.identity)
  }
  const keys = new Set(memberships.map(({ key }) => key))
  for (const key of session.following.keys()) if (!keys.has(key)) stop(parts, session, key)
  return memberships.filter(({ key }) => session.following.has(key))
}

/** Someone takes part from this seq on. */
export async function join(
  parts: JoinParts,
  session: Session,
  at: ConversationKey,
  seq: number,
): Promise<void> {
  const { appId, uid } = session.identity
  const membership = await parts.feed.membershipOf(appId, uid, at)
  if (!membership) return
  // Someone who left and came back is still to be seen leaving.
  await session.following.get(membership.key)?.passed(seq)
  if (session.following.has(membership.key)) return
  follow(parts, session, membership)
  await parts.signals.settled()
  const now = await parts.feed.membershipOf(appId, uid, at)
  if (!now) return stop(parts, session, membership.key)
  const from = { seq: seq - 1, change: now.head.change }
  await catchUp(parts, session, placesOf(session, [now], { [now.label]: from }))
}

/** The device is to read the conversation anew. */
export function reload(session: Session, { label, head }: Membership): void {
  session.connection.say(print({ type: 'reload', conversationId: label, position: head }))
}

export function leave(parts: JoinParts, session: Session): void {
  for (const key of [...session.following.keys()]) stop(parts, session, key)
}

function follow({ streams }: JoinParts, session: Session, membership: Membership): void {
  // Whoever is closed has left already, and would stay for ever.
  if (!session.connection.isOpen) return
  const stream = streams.open(membership)
  session.following.set(membership.key, stream)
  stream.channel.wait(session)
}

function stop({ streams }: JoinParts, session: Session, key: number): void {
  const stream = session.following.get(key)
  session.following.delete(key)
  stream?.channel.remove(session)
  if (stream) streams.release(stream.followed)
}

function placesOf(
  session: Session,
  memberships: readonly Membership[],
  positions: Positions,
): Place[] {
  return memberships.flatMap((membership) => {
    const stream = session.following.get(membership.key)
    return stream ? [{ membership, stream, from: positions[membership.label] }] : []
  })
}
