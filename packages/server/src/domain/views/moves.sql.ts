import { bigints, smallints, texts } from '../../database/arrays.ts'
import type { Db } from '../../database/db.ts'
import { prepared, run } from '../../database/prepared.ts'
import type { ConversationKey } from '../../outbox/committed.ts'

/** A range of a conversation, and who had and read it. */
export interface Range extends ConversationKey {
  readonly appId: string
  readonly reader: string
  readonly first: number
  readonly last: number
}

/** All up to `seq` was delivered, or read, at this time. */
export interface Move {
  readonly kind: 'delivered' | 'read'
  readonly seq: number
  readonly at: number
}

// There is one move for a seq at most: as many as there are seqs, and one that lies behind them.
const moves = prepared<Move & { place: number }>(
  'moves',
  `select w.place, k.kind, m.seq, m.at
   from unnest($1::text[], $2::smallint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[])
     with ordinality as w(app_id, bucket, key, uid, first, last, place)
   cross join (values ('delivered'), ('read')) as k(kind)
   cross join lateral (
     select m.seq, m.at from position_moves m
     where m.bucket = w.bucket and m.conversation_key = w.key and m.uid = w.uid
       and m.kind = k.kind and m.seq >= w.first and m.app_id = w.app_id
     order by m.seq limit w.last - w.first + 2) m`,
)

/** For each range the moves that decide when it was delivered and read, in order. */
export async function findMoves(db: Db, ranges: readonly Range[]): Promise<(readonly Move[])[]> {
  const rows = await run(db, moves, [
    texts(ranges.map(({ appId }) => appId)),
    smallints(ranges.map(({ bucket }) => bucket)),
    bigints(ranges.map(({ key }) => key)),
    texts(ranges.map(({ reader }) => reader)),
    bigints(ranges.map(({ first }) => first)),
    bigints(ranges.map(({ last }) => last)),
  ])
  const found = ranges.map((): Move[] => [])
  for (const { place, ...move } of rows) found[place - 1]?.push(move)
  for (const list of found) list.sort((a, b) => a.seq - b.seq)
  return found
}

export function rangeName({ key, reader, first, last }: Range): string {
  return `${key} ${reader} ${first} ${last}`
}
