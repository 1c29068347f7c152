import { sql } from 'kysely'
import type { Db } from '../../database/db.ts'

const replies = sql`
  (select count(*) from entries e
   where e.bucket = t.bucket and e.conversation_key = t.conversation_key and e.parent_seq = t.seq
     and e.deleted_at is null)`

/** Conversations with a thread whose number of replies is not that of the entries. */
export async function findWrongReplies(db: Db): Promise<number[]> {
  const { rows } = await sql<{ key: number }>`
    select distinct t.conversation_key as key from threads t
    where t.replies <> ${replies}
      and not exists (select from app_erasures x where x.app_id = t.app_id)`.execute(db)
  return rows.map(({ key }) => key)
}

/** In a transaction: the head is locked, so that nothing is appended while replies are counted. */
export async function repairReplies(db: Db, key: number): Promise<void> {
  await sql`select from conversations where conversation_key = ${key} for update`.execute(db)
  await sql`
    update threads t set replies = ${replies}
    where t.conversation_key = ${key} and t.replies <> ${replies}`.execute(db)
}
