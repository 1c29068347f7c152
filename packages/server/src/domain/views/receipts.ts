import { type Entry, otherThan } from '../log/entries/index.ts'
import type { Move, Range } from './moves.sql.ts'

export interface Receipt {
  readonly deliveredAt: number | undefined
  readonly readAt: number | undefined
}

/** Entries farther apart than this are asked for one by one. */
const widestGap = 10

type Read = Range & { readonly entries: readonly Entry[] }

/** One-to-one, it is the other side who has and reads a message: asked for as far as they lie together. */
export function rangesOf(appId: string, entries: readonly Entry[]): Read[] {
  const open = new Map<string, Entry[]>()
  const all: Entry[][] = []
  for (const entry of entries.toSorted((a, b) => a.row.seq - b.row.seq)) {
    const { row, receiver } = entry
    if (receiver.kind !== 'user' || row.category === 'action') continue
    const name = `${row.key} ${row.sender}`
    const list = open.get(name)
    const before = list?.at(-1)
    if (list && before && row.seq - before.row.seq <= widestGap) {
      list.push(entry)
      continue
    }
    const fresh = [entry]
    open.set(name, fresh)
    all.push(fresh)
  }
  return all.flatMap((list) => {
    const [first] = list
    const last = list.at(-1)
    if (!first || !last || first.receiver.kind !== 'user') return []
    const { bucket, key, sender } = first.row
    const reader = otherThan(sender, first.receiver.uids)
    return [
      {
        appId,
        bucket,
        key,
        reader,
        first: first.row.seq,
        last: last.row.seq,
        entries: list,
      },
    ]
  })
}

/** When each was delivered and read, by id: the first move at or behind it. */
export function receiptsIn(entries: readonly Entry[], moves: readonly Move[]): [number, Receipt][] {
  if (moves.length === 0) return []
  const firstOf = (kind: Move['kind'], seq: number) =>
    moves.find((move) => move.kind === kind && move.seq >= seq)?.at
  return entries.flatMap(({ row: { id, seq } }) => {
    const readAt = firstOf('read', seq)
    const deliveredAt = firstOf('delivered', seq)
    if (readAt === undefined && deliveredAt === undefined) return []
    const first = Math.min(deliveredAt ?? Infinity, readAt ?? Infinity)
    return [[id, { deliveredAt: first, readAt }]]
  })
}
