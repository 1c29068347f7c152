import { sql } from 'kysely'
import type { Db } from '../../database/db.ts'

/** Counters of a conversation that `chorale doctor` compares with the entries. */
export type LogCounter = 'heads' | 'unread' | 'members'

/** Of apps that are being erased nothing adds up. */
const kept = sql`not exists (select from app_erasures x where x.app_id = c.app_id)`
const last = sql`
  left join lateral (
    select e.seq, e.counted from entries e
    where e.bucket = c.bucket and e.conversation_key = c.conversation_key
    order by e.seq desc limit 1) l on true`
const same = sql`e.bucket = p.bucket and e.conversation_key = p.conversation_key`
const ownUnread = sql`
  (select count(*) from entries e
   where ${same} and e.seq > p.read_seq and e.counts and e.sender = p.uid)`
const countedAtRead = sql`
  coalesce((select e.counted from entries e where ${same} and e.seq = p.read_seq), 0)`
const present = sql`(select count(*) from participants p where p.conversation_key = c.conversation_key)`

const wrong = {
  heads: sql`
    select c.conversation_key as key from conversations c ${last}
    where (c.head <> coalesce(l.seq, 0) or c.counted <> coalesce(l.counted, 0)) and ${kept}`,
  unread: sql`
    select distinct p.conversation_key as key
    from participants p join conversations c using (conversation_key)
    where (p.read_counted <> ${countedAtRead} or p.own - p.read_own <> ${ownUnread}) and ${kept}`,
  members: sql`
    select c.conversation_key as key from conversations c
    where c.participants_count <> ${present} and ${kept}`,
}

/** Conversations whose counter is wrong. */
export async function findWrongCounters(db: Db, counter: LogCounter): Promise<number[]> {
  const { rows } = await sql<{ key: number }>`${wrong[counter]}`.execute(db)
  return rows.map(({ key }) => key)
}

/** In a transaction: the head is locked, so that nothing is appended while its entries are counted. */
export async function repairCounter(db: Db, counter: LogCounter, key: number): Promise<void> {
  await sql`select from conversations where conversation_key = ${key} for update`.execute(db)
  if (counter === 'heads') {
    await sql`
      update conversations c set head = coalesce(n.seq, 0), counted = coalesce(n.counted, 0)
      from (select l.seq, l.counted from conversations c ${last} where c.conversation_key = ${key}) n
      where c.conversation_key = ${key}`.execute(db)
  } else if (counter === 'unread') {
    await sql`
      update participants p set read_counted = ${countedAtRead}, own = p.read_own + ${ownUnread}
      where p.conversation_key = ${key}`.execute(db)
  } else {
    await sql`
      update conversations c set participants_count = ${present}
      where c.conversation_key = ${key}`.execute(db)
  }
}
