import type { Position } from '@chorale/contract/frames'
import { epochOf } from '../outbox/epochs.ts'
import type { Feed, Membership, SerialisedEntry } from '../realtime/ports.ts'
import { print, serialiseEntryFrame } from './frames.ts'
import type { ConversationStream } from './hub/conversation-stream.ts'
import type { Session } from './session.ts'

export interface CatchUpParts {
  readonly feed: Pick<Feed, 'missed'>
  /** Of one conversation, and of all together; with more, the device reads the list anew. */
  readonly maxPerConversation: number
  readonly maxInAll: number
}

/** Membership and stream of one conversation, and from where on the device wants it. */
export interface Place {
  readonly membership: Membership
  readonly stream: ConversationStream
  /** Undefined: from now on. */
  readonly from: Position | undefined
}

/**
 * Brings a session up to date and lets it into the live stream. Its streams keep what comes
 * meanwhile: they were told to before the memberships were read.
 */
export async function catchUp(
  parts: CatchUpParts,
  session: Session,
  places: readonly Place[],
): Promise<void> {
  let left = parts.maxInAll
  for (const place of places) {
    if (!session.connection.isOpen) return
    left -= await bring(parts, session, place, left)
  }
}

/** Returns how many entries it took. */
async function bring(
  parts: CatchUpParts,
  session: Session,
  { membership, stream, from }: Place,
  left: number,
): Promise<number> {
  const begun = stream.begin(membership.head)
  const head = latest(membership.head, begun)
  const since = from ?? membership.head
  const { label } = membership
  if (since.seq === head.seq && since.change === head.change) {
    admit(session, stream, head)
    return 0
  }
  const most = Math.min(parts.maxPerConversation, left)
  // In another epoch the same seq may be of another entry.
  const isOther = epochOf(since.change) !== epochOf(head.change)
  const isAhead = since.seq > head.seq || since.change > head.change
  const tooFar = isOther || isAhead || head.seq - since.seq > most
  const missed = tooFar
    ? undefined
    : await parts.feed.missed(
        membership,
        { ...since, resetSeq: membership.resetSeq },
        viewers(membership),
        most + 1,
      )
  if (!missed || missed.changed.length + missed.entries.length > most) {
    session.connection.say(print({ type: 'reload', conversationId: label, position: head }))
    admit(session, stream, head)
    return 0
  }
  const { changed, entries } = missed
  const departure = entries.findLastIndex((entry) => moves(entry, session.uid))
  if (entries[departure]?.departs === session.uid) {
    await say(session, 'message', label, since.change, entries.slice(0, departure + 1))
    stream.dismiss(session)
    return departure + 1
  }
  const change = Math.max(head.change, changed.at(-1)?.change ?? 0)
  await say(session, 'changed', label, change, changed)
  await say(session, 'message', label, change, entries)
  admit(session, stream, { seq: Math.max(head.seq, entries.at(-1)?.seq ?? 0), change })
  return changed.length + entries.length
}

function moves({ arrives, departs }: SerialisedEntry, uid: string): boolean {
  return arrives === uid || departs === uid
}

function viewers({ receiver, uid }: Membership) {
  return [receiver.kind === 'group' ? undefined : uid]
}

async function say(
  { connection, uid }: Session,
  type: 'message' | 'changed',
  label: string,
  change: number,
  entries: readonly SerialisedEntry[],
): Promise<void> {
  for (const entry of entries) {
    await connection.room()
    const at = { seq: entry.seq, change: type === 'changed' ? entry.change : change }
    const text = entry.own?.uid === uid ? entry.own.text : entry.texts[0]
    connection.say(serialiseEntryFrame(type, label, at, text ?? ''))
  }
}

function admit(session: Session, stream: ConversationStream, seen: Position): void {
  if (!stream.channel.admit(session, seen)) session.connection.close('tooSlow')
}

function latest(a: Position, b: Position): Position {
  return { seq: Math.max(a.seq, b.seq), change: Math.max(a.change, b.change) }
}
