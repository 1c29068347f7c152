import type { WriteCtx } from '../../pipeline/handler.ts'
import { lockPosition, recordMoves, setDelivered, setRead } from '../log/participants/index.ts'
import type { StoredItem } from './stored-item.ts'

type Kind = 'delivered' | 'read'

/** Until when receivers have got and read what they were sent. Only a user has told. */
export async function importPositions(
  ctx: WriteCtx,
  stored: readonly StoredItem[],
  update: boolean,
): Promise<void> {
  const fresh = stored.filter(
    ({ placed, message }) => (update || !placed.repeated) && message.receiverType === 'user',
  )
  const byReader = Map.groupBy(
    fresh,
    ({ target, message }) => `${target.conversation.key} ${message.receiver}`,
  )
  for (const items of byReader.values()) {
    const inOrder = items.toSorted((a, b) => a.placed.seq - b.placed.seq)
    await move(ctx, inOrder, 'delivered', ({ deliveredAt, readAt }) => deliveredAt ?? readAt)
    await move(ctx, inOrder, 'read', ({ readAt }) => readAt)
  }
}

/** A position covers all that was said before it. Of messages with one time, the last says it for all. */
async function move(
  { db }: WriteCtx,
  items: readonly StoredItem[],
  kind: Kind,
  timeOf: (message: StoredItem['message']) => number | undefined,
): Promise<void> {
  const reached = items.filter(({ message }) => timeOf(message) !== undefined)
  const last = reached.at(-1)
  if (!last) return
  const { conversation } = last.target
  const uid = last.message.receiver
  const position = await lockPosition(db, conversation, uid)
  if (!position) return
  const moves = reached.flatMap(({ message, placed: { seq } }, place) => {
    const at = timeOf(message)
    const next = reached[place + 1]
    return at === undefined || (next && timeOf(next.message) === at) ? [] : [{ seq, at }]
  })
  await recordMoves(db, conversation, { uid, kind }, moves)
  const before = kind === 'read' ? position.readSeq : position.deliveredSeq
  if (last.placed.seq <= before) return
  await (kind === 'read' ? setRead : setDelivered)(db, conversation, uid, last.placed)
}
