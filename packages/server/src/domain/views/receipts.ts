import { type Entry, otherThan } from '../log/entries/index.ts'
import type { Move, Range } from './moves.sql.ts'

export interface Receipt {
  readonly deliveredAt: number | undefined
  readonly readAt: number | undefined
}

/** Entries farther apart than this are asked for one by one. */
const widestGap = 10

/** Which messages a range is about: their ids, and in the same order their seqs. */
export type Read = Range & { readonly ids: readonly number[]; readonly seqs: readonly number[] }

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
        ids: list.map(({ row }) => row.id),
        seqs: list.map(({ row }) => row.seq),
      },
    ]
  })
}

/** When each was delivered and read, by id: the first move at or behind it. */
export function receiptsIn({ ids, seqs }: Read, moves: readonly Move[]): [number, Receipt][] {
  if (moves.length === 0) return []
  const firstOf = (kind: Move['kind'], seq: number) =>
    moves.find((move) => move.kind === kind && move.seq >= seq)?.at
  return ids.flatMap((id, nth): [number, Receipt][] => {
    const seq = seqs[nth] ?? 0
    const readAt = firstOf('read', seq)
    const deliveredAt = firstOf('delivered', seq)
    if (readAt === undefined && deliveredAt === undefined) return []
    const first = Math.min(deliveredAt ?? Infinity, readAt ?? Infinity)
    return [[id, { deliveredAt: first, readAt }]]
  })
}
