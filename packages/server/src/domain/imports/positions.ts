import type { WriteCtx } from '../../pipeline/handler.ts'
import {
  advancePositions,
  type ImportedMove,
  importMoves,
  lockPositions,
} from '../log/imported/index.ts'
import type { StoredItem } from './stored-item.ts'

type Timed = (message: StoredItem['message']) => number | undefined

const kinds: readonly (readonly [ImportedMove['kind'], Timed])[] = [
  ['delivered', ({ deliveredAt, readAt }) => deliveredAt ?? readAt],
  ['read', ({ readAt }) => readAt],
]

/** Until when receivers have got and read what they were sent. Only a user has told. */
export async function importPositions(
  { db }: WriteCtx,
  stored: readonly StoredItem[],
  update: boolean,
): Promise<void> {
  const reached = stored.filter(
    ({ placed, message: { receiverType, deliveredAt, readAt } }) =>
      (update || !placed.repeated) &&
      receiverType === 'user' &&
      (deliveredAt !== undefined || readAt !== undefined),
  )
  if (reached.length === 0) return
  const byReader = Map.groupBy(
    reached,
    ({
      target: {
        conversation: { key },
      },
      message,
    }) => [key, message.receiver].join(' '),
  )
  const moves = Array.from(byReader.values(), (items) => {
    const inOrder = items.toSorted((a, b) => a.placed.seq - b.placed.seq)
    return kinds.map(([kind, timeOf]) => movesOf(inOrder, kind, timeOf))
  })
  const all = moves.flat(2)
  await lockPositions(db, all)
  await importMoves(db, all)
  const last = moves.flatMap((ofReader) => ofReader.flatMap((ofKind) => ofKind.at(-1) ?? []))
  await advancePositions(db, last)
}

/** A position covers all that was said before it. Of messages with one time, the last says it for all. */
function movesOf(
  items: readonly StoredItem[],
  kind: ImportedMove['kind'],
  timeOf: Timed,
): ImportedMove[] {
  const reached = items.filter(({ message }) => timeOf(message) !== undefined)
  return reached.flatMap(({ message, target: { conversation }, placed }, place) => {
    const at = timeOf(message)
    const next = reached[place + 1]
    if (at === undefined || (next && timeOf(next.message) === at)) return []
    const { seq, counted } = placed
    return [{ ...conversation, uid: message.receiver, kind, seq, counted, at }]
  })
}
