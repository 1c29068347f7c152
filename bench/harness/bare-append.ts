import type { Query } from '../../packages/testing/src/data/many-users.ts'
import { text } from './conversations.ts'

/**
 * Bare: one transaction per message moves the head and inserts the entry, and does nothing else.
 * Planned once per connection (see `pgbench`), which is the best that it can do here.
 */
export function bareAppend(appId: string, conversation: string): string {
  return `
\\set c ${conversation}
\\set b :c % 64
with moved as (
  update conversations
  set head = head + 1, counted = counted + 1, shown_seq = head + 1, updated_at = 1
  where bucket = :b and conversation_key = :c
  returning bucket, conversation_key, head, counted)
insert into entries (bucket, conversation_key, seq, id, sent_at, counted, counts,
                     app_id, sender, category, type, muid, data)
select bucket, conversation_key, head, nextval('entry_numbers') * 64 + bucket, 1, counted, true,
       '${appId}', 'user1', 'message', 'text', gen_random_uuid()::text,
       '${JSON.stringify({ text })}'::json
from moved;
`
}

/** The promise behind the figures: after all rounds, every log is dense and ids grow with it. */
export async function violations(query: Query): Promise<number> {
  const rows = await query(`
    select count(*)::int as n from (
      select seq - lag(seq, 1, 0::bigint) over log as step,
             id - lag(id, 1, 0::bigint) over log as growth
      from entries window log as (partition by bucket, conversation_key order by seq)) as steps
    where step <> 1 or growth <= 0`)
  // One row with one number, as the statement says.
  return (rows as [{ n: number }])[0].n
}
