import type { Message, Reaction as WireReaction } from '@chorale/sdk'
import { tell } from '../listeners/registry.ts'
import { Reaction, ReactionEvent, reactionOf } from '../messages/reaction.ts'
import { isOwnChange } from './own-acts.ts'
import { loginIfAny } from './state.ts'

/** The newest reactions of messages that were reacted to while this device listened. */
const rows = new Map<string, readonly WireReaction[]>()
const maxKept = 200
const pageSize = 100

export function forgetReactions(): void {
  rows.clear()
}

/** A frame says how many reacted; who it was is asked for. */
export async function hearReactions(wire: Message, before: Message | undefined): Promise<void> {
  const login = loginIfAny()
  if (!login || countsOf(wire) === countsOf(before)) return
  const known = rows.get(wire.id)
  const query = { limit: pageSize }
  const { data } = await login.calls.listReactions({ params: { id: wire.id }, query })
  rows.delete(wire.id)
  rows.set(wire.id, data)
  const [oldest] = rows.keys()
  if (rows.size > maxKept && oldest !== undefined) rows.delete(oldest)
  const { added, removed } = known ? between(known, data) : newest(wire, before, data)
  const me = login.user.uid
  for (const reaction of added) {
    if (isOwn(reaction, me, 'added')) continue
    tell('message', 'onMessageReactionAdded', eventOf(wire, reaction))
  }
  for (const reaction of removed) {
    if (isOwn(reaction, me, 'removed')) continue
    tell('message', 'onMessageReactionRemoved', eventOf(wire, reaction))
  }
}

function isOwn({ uid, reaction, messageId }: Reaction, me: string, how: string): boolean {
  return uid === me && isOwnChange(`reacted ${how} ${reaction}`, messageId)
}

function countsOf(message: Message | undefined): string {
  const counts = (message?.data.reactions ?? []).map(({ reaction, count }) => [reaction, count])
  return JSON.stringify(counts.sort())
}

interface Difference {
  readonly added: readonly Reaction[]
  readonly removed: readonly Reaction[]
}

function between(known: readonly WireReaction[], now: readonly WireReaction[]): Difference {
  const without = (from: readonly WireReaction[], these: readonly WireReaction[]) => {
    const ids = new Set(these.map(({ id }) => id))
    return from.filter(({ id }) => !ids.has(id)).map(reactionOf)
  }
  return { added: without(now, known), removed: without(known, now) }
}

/** Where it is not known who had reacted, the counts tell how many came and went. */
function newest(wire: Message, before: Message | undefined, now: readonly WireReaction[]) {
  const countOf = (message: Message | undefined, reaction: string) =>
    message?.data.reactions?.find((one) => one.reaction === reaction)?.count ?? 0
  const kinds = new Set(
    [wire, before].flatMap((one) => (one?.data.reactions ?? []).map(({ reaction }) => reaction)),
  )
  const difference = { added: [] as Reaction[], removed: [] as Reaction[] }
  for (const reaction of kinds) {
    const more = countOf(wire, reaction) - countOf(before, reaction)
    const ofKind = now.filter((row) => row.reaction === reaction)
    const byTime = ofKind.toSorted((a, b) => Number(b.id) - Number(a.id))
    difference.added.push(...byTime.slice(0, Math.max(more, 0)).map(reactionOf))
    // Who took it back is not known.
    const gone = new Reaction({ messageId: wire.id, reaction })
    difference.removed.push(...Array.from({ length: Math.max(-more, 0) }, () => gone))
  }
  return difference
}

function eventOf(wire: Message, reaction: Reaction): ReactionEvent {
  const { receiver, receiverType, conversationId, parentId } = wire
  return new ReactionEvent({
    reaction,
    receiverId: receiver,
    receiverType,
    conversationId,
    ...(parentId !== undefined && { parentMessageId: Number(parentId) }),
  })
}
