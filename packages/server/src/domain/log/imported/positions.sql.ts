import { sql } from 'kysely'
import type { AppDb } from '../../../database/app-db.ts'
import type { Mark } from '../participants/index.ts'
import { keysTable, type ParticipantKey } from './participant-keys.sql.ts'

/** A move that was made elsewhere, to a place that is here. */
export interface ImportedMove extends ParticipantKey, Mark {
  readonly kind: 'delivered' | 'read'
  readonly at: number
}

/** As `lockPosition`, in the order in which all who lock several do. Returns those who are there. */
export async function lockPositions(
  { appId, db }: AppDb,
  readers: readonly ParticipantKey[],
): Promise<ParticipantKey[]> {
  const { rows } = await sql<ParticipantKey>`
    select p.bucket, p.conversation_key as key, p.uid from participants p
    where (p.bucket, p.conversation_key, p.uid) in (
        select r.bucket, r.key, r.uid from ${keysTable(readers)})
      and p.app_id = ${appId}
    order by p.bucket, p.conversation_key, p.uid for no key update`.execute(db)
  return rows
}

/** In whatever order they come: an earlier one may be told after a later. */
export async function importMoves(
  { appId, db }: AppDb,
  moves: readonly ImportedMove[],
): Promise<void> {
  await sql`
    insert into position_moves (bucket, conversation_key, uid, kind, seq, at, app_id)
    select w.bucket, w.key, w.uid, w.kind, w.seq, w.at, ${appId}
    from ${movesTable(moves)}
    join participants p on p.bucket = w.bucket and p.conversation_key = w.key and p.uid = w.uid
      and p.app_id = ${appId}
    where not exists (
      select from position_moves m
      where m.bucket = w.bucket and m.conversation_key = w.key and m.uid = w.uid
        and m.kind = w.kind and m.seq >= w.seq and m.at <= w.at)
    on conflict (bucket, conversation_key, uid, kind, seq) do update
      set at = least(position_moves.at, excluded.at)`.execute(db)
}

/** One of each kind for each user, who is locked: nobody's position goes back. */
export async function advancePositions(
  { appId, db }: AppDb,
  moves: readonly ImportedMove[],
): Promise<void> {
  await sql`
    update participants p
    set delivered_seq = greatest(p.delivered_seq, w.delivered, w.read),
        read_seq = greatest(p.read_seq, w.read),
        read_counted = case when w.read > p.read_seq then w.read_counted else p.read_counted end,
        read_own = case when w.read > p.read_seq then p.own - (
            select count(*) from entries e
            where e.bucket = p.bucket and e.conversation_key = p.conversation_key
              and e.seq > w.read and e.sender = p.uid and e.counts)
          else p.read_own end
    from (
      select w.bucket, w.key, w.uid, max(w.seq) filter (where w.kind = 'delivered') as delivered,
             max(w.seq) filter (where w.kind = 'read') as read,
             max(w.counted) filter (where w.kind = 'read') as read_counted
      from ${movesTable(moves)} group by w.bucket, w.key, w.uid) w
    where p.bucket = w.bucket and p.conversation_key = w.key and p.uid = w.uid
      and p.app_id = ${appId}
      and (w.delivered > p.delivered_seq or w.read > p.read_seq)`.execute(db)
}

function movesTable(moves: readonly ImportedMove[]) {
  return sql`unnest(${moves.map(({ bucket }) => bucket)}::smallint[],
      ${moves.map(({ key }) => key)}::bigint[], ${moves.map(({ uid }) => uid)}::text[],
      ${moves.map(({ kind }) => kind)}::text[], ${moves.map(({ seq }) => seq)}::bigint[],
      ${moves.map(({ counted }) => counted)}::bigint[], ${moves.map(({ at }) => at)}::bigint[])
    as w(bucket, key, uid, kind, seq, counted, at)`
}
