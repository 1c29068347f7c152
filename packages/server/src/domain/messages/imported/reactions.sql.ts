import { sql } from 'kysely'
import type { AppDb } from '../../../database/app-db.ts'
import type { ConversationKey } from '../../../outbox/committed.ts'

/** A reaction that comes from elsewhere, to an entry in its place. */
export interface ImportedReaction extends ConversationKey {
  readonly seq: number
  readonly uid: string
  readonly reaction: string
  readonly at: number
}

/** Their ids grow in the order in which they come. */
export async function insertReactions(
  { appId, db }: AppDb,
  reactions: readonly ImportedReaction[],
): Promise<void> {
  if (reactions.length === 0) return
  await sql`
    insert into reactions
      (bucket, conversation_key, uid, seq, reaction, id, reacted_at, app_id)
    select r.bucket, r.key, r.uid, r.seq, r.reaction,
           nextval('entry_numbers') * 64 + r.bucket, r.at, ${appId}
    from (
      select * from unnest(
        ${reactions.map(({ bucket }) => bucket)}::smallint[],
        ${reactions.map(({ key }) => key)}::bigint[], ${reactions.map(({ seq }) => seq)}::bigint[],
        ${reactions.map(({ uid }) => uid)}::text[],
        ${reactions.map(({ reaction }) => reaction)}::text[],
        ${reactions.map(({ at }) => at)}::bigint[])
        with ordinality as r(bucket, key, seq, uid, reaction, at, nth)
      order by r.nth) r
    on conflict do nothing`.execute(db)
}

export async function deleteReactions(
  { appId, db }: AppDb,
  reactions: readonly Omit<ImportedReaction, 'at'>[],
): Promise<void> {
  if (reactions.length === 0) return
  await sql`
    delete from reactions r
    using unnest(
      ${reactions.map(({ bucket }) => bucket)}::smallint[],
      ${reactions.map(({ key }) => key)}::bigint[], ${reactions.map(({ seq }) => seq)}::bigint[],
      ${reactions.map(({ uid }) => uid)}::text[],
      ${reactions.map(({ reaction }) => reaction)}::text[]) as w(bucket, key, seq, uid, reaction)
    where r.bucket = w.bucket and r.conversation_key = w.key and r.seq = w.seq and r.uid = w.uid
      and r.reaction = w.reaction and r.app_id = ${appId}`.execute(db)
}
