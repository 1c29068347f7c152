import { sql } from 'kysely'
import type { AppDb } from '../../../database/app-db.ts'
import type { ConversationKey } from '../../../outbox/committed.ts'

/** A reply that comes from elsewhere, in its place. */
export interface ImportedReply extends ConversationKey {
  readonly id: number
  readonly parentSeq: number
  readonly sender: string
  readonly isDeleted: boolean
}

/** Counts them at their parents. Who replied follows the thread, and so does who began it. */
export async function insertReplies(
  { appId, db }: AppDb,
  replies: readonly ImportedReply[],
): Promise<void> {
  if (replies.length === 0) return
  const columns = [
    sql`${replies.map(({ bucket }) => bucket)}::smallint[]`,
    sql`${replies.map(({ key }) => key)}::bigint[]`,
    sql`${replies.map(({ parentSeq }) => parentSeq)}::bigint[]`,
  ]
  await sql`
    insert into threads as t (bucket, conversation_key, seq, app_id, replies, last_reply_id)
    select r.bucket, r.key, r.seq, ${appId}, count(*) filter (where not r.deleted), max(r.id)
    from unnest(${sql.join(columns)}, ${replies.map(({ id }) => id)}::bigint[],
                ${replies.map(({ isDeleted }) => isDeleted)}::boolean[])
      as r(bucket, key, seq, id, deleted)
    group by r.bucket, r.key, r.seq
    on conflict (bucket, conversation_key, seq) do update
      set replies = t.replies + excluded.replies,
          last_reply_id = greatest(t.last_reply_id, excluded.last_reply_id)`.execute(db)
  await sql`
    insert into thread_subscriptions (bucket, conversation_key, seq, uid, active, app_id)
    select distinct r.bucket, r.key, r.seq, u.uid, true, ${appId}
    from unnest(${sql.join(columns)}, ${replies.map(({ sender }) => sender)}::text[])
      as r(bucket, key, seq, sender)
    join entries e on e.bucket = r.bucket and e.conversation_key = r.key and e.seq = r.seq
      and e.app_id = ${appId}
    cross join lateral (values (r.sender), (e.sender)) as u(uid)
    order by r.bucket, r.key, r.seq, u.uid
    on conflict (bucket, conversation_key, seq, uid) do nothing`.execute(db)
}
