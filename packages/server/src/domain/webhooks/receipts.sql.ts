import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import type { ConversationKey } from '../../outbox/committed.ts'

/** With more of them nobody asks whether all have read. */
const maxParticipants = 300
/** How many entries are looked at for one of the sender that is asked for. */
const maxEntries = 100

/**
 * The newest message that all of its receivers have, or have read; its sender does not count. So of
 * whoever is behind everyone else, their own messages reach as far as the next one is.
 */
export async function findLastForAll(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  kind: 'delivered' | 'read',
): Promise<{ readonly id: number; readonly sender: string } | undefined> {
  const position = kind === 'read' ? sql`p.read_seq` : sql`p.delivered_seq`
  const { rows } = await sql<{ id: number; sender: string }>`
    with positions as materialized (
      select p.uid, ${position} as seq from participants p
      where p.bucket = ${bucket} and p.conversation_key = ${key} and p.app_id = ${appId}
      limit ${maxParticipants + 1}
    ), last as (
      select uid, seq, row_number() over (order by seq, uid) as nth,
             lead(seq) over (order by seq, uid) as next, count(*) over () as n
      from positions
    )
    select e.id, e.sender from last
    cross join lateral (
      select e.id, e.sender, e.seq from (
        select e.id, e.sender, e.seq, e.category, e.verdict from entries e
        where e.bucket = ${bucket} and e.conversation_key = ${key} and e.app_id = ${appId}
          and e.seq <= coalesce(last.next, 0)
        order by e.seq desc limit ${maxEntries}) e
      where e.category <> 'action' and (e.verdict is null or not e.verdict ? 'sealed')
        and (e.seq <= last.seq or e.sender = last.uid)
      order by e.seq desc limit 1) e
    where last.nth = 1 and last.n between 2 and ${maxParticipants}`.execute(db)
  return rows[0]
}
