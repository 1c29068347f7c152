import { sql } from 'kysely'
import type { Db } from '../../database/db.ts'

const replies = sql`
  (select count(*) from entries e
   where e.bucket = t.bucket and e.conversation_key = t.conversation_key and e.parent_seq = t.seq
     and e.deleted_at is null)`

/** Threads whose number of replies is not that of the entries. */
export async function countWrongReplies(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from threads t
    where t.replies <> ${replies}
      and not exists (select from app_erasures x where x.app_id = t.app_id)`.execute(db)
  return rows[0]?.count ?? 0
}

export async function repairReplies(db: Db): Promise<number> {
  const { numAffectedRows } = await sql`
    update threads t set replies = ${replies} where t.replies <> ${replies}`.execute(db)
  return Number(numAffectedRows ?? 0)
}
