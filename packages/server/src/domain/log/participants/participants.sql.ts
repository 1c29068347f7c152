import { sql } from 'kysely'
import type { AppDb } from '../../../database/app-db.ts'
import { bucketOfNew } from '../../../database/buckets.ts'
import type { ConversationKey } from '../entries/entries.ts'

/** A fresh conversation, empty. */
export async function insertConversation(
  { appId, db }: AppDb,
  now: number,
): Promise<ConversationKey> {
  const { rows } = await sql<ConversationKey>`
    with fresh as materialized (select nextval('conversation_keys') as key)
    insert into conversations (bucket, conversation_key, app_id, created_at, updated_at)
    select ${bucketOfNew(appId)}, key, ${appId}, ${now}, ${now} from fresh
    returning bucket, conversation_key as key`.execute(db)
  const [made] = rows
  if (!made) throw new Error('No conversation was made.')
  return made
}

export async function findUserConversation(
  { appId, db }: AppDb,
  a: string,
  b: string,
): Promise<ConversationKey | undefined> {
  const [low, high] = a < b ? [a, b] : [b, a]
  const { rows } = await sql<ConversationKey>`
    select bucket, conversation_key as key from user_conversations
    where app_id = ${appId} and low_uid = ${low} and high_uid = ${high}`.execute(db)
  return rows[0]
}

/** The conversation of two users, made with both participants if they had none. */
export async function ensureUserConversation(
  appDb: AppDb,
  a: string,
  b: string,
  now: number,
): Promise<ConversationKey & { readonly made: boolean }> {
  const { appId, db } = appDb
  const [low, high] = a < b ? [a, b] : [b, a]
  const known = await findUserConversation(appDb, a, b)
  if (known) return { ...known, made: false }
  // Whoever loses the race waits here for the winner, and finds its row below.
  const { rows } = await sql<ConversationKey>`
    with fresh as materialized (select nextval('conversation_keys') as key),
    pair as (
      insert into user_conversations (app_id, low_uid, high_uid, bucket, conversation_key)
      select ${appId}, ${low}, ${high}, ${bucketOfNew(appId)}, key from fresh
      on conflict (app_id, low_uid, high_uid) do nothing
      returning bucket, conversation_key as key),
    conversation as (
      insert into conversations
        (bucket, conversation_key, app_id, participants_count, created_at, updated_at)
      select bucket, key, ${appId}, 2, ${now}, ${now} from pair),
    sides as (
      insert into participants (bucket, conversation_key, uid, app_id, with_uid)
      select bucket, key, side.uid, ${appId}, side.with_uid
      from pair, lateral (values (${low}, ${high}), (${high}, ${low})) as side(uid, with_uid))
    select * from pair`.execute(db)
  if (rows[0]) return { ...rows[0], made: true }
  const other = await findUserConversation(appDb, a, b)
  if (!other) throw new Error('No conversation was made.')
  return { ...other, made: false }
}

/** New participants have seen everything so far. Returns how many there are now. */
export async function insertParticipants(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  guid: string,
  uids: readonly string[],
  /** They see what was said after this seq. */
  hiddenTo = 0,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with made as (
      insert into participants (bucket, conversation_key, uid, app_id, with_guid,
                                delivered_seq, read_seq, read_counted, reset_seq)
      select c.bucket, c.conversation_key, uid, ${appId}, ${guid}, c.head, c.head, c.counted,
             ${hiddenTo}
      from conversations c, unnest(${uids}::text[]) as uid
      where c.bucket = ${bucket} and c.conversation_key = ${key} and c.app_id = ${appId}
      order by uid)
    select participants_count as count from conversations
    where bucket = ${bucket} and conversation_key = ${key} and app_id = ${appId}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Someone who comes without an entry of their own: the founder of a group. */
export async function adjustParticipants(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  by: number,
): Promise<void> {
  await sql`
    update conversations set participants_count = participants_count + ${by}
    where bucket = ${bucket} and conversation_key = ${key} and app_id = ${appId}`.execute(db)
}

export async function deleteParticipants(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  uids: readonly string[] | 'all',
): Promise<void> {
  const whose = uids === 'all' ? sql`true` : sql`uid = any(${uids})`
  await sql`
    delete from participants
    where bucket = ${bucket} and conversation_key = ${key} and app_id = ${appId} and ${whose}
  `.execute(db)
}

/** The head goes at once; the entries have no way to be read any more and are erased later. */
export async function deleteConversation({ appId, db }: AppDb, { bucket, key }: ConversationKey) {
  await sql`
    delete from conversations
    where bucket = ${bucket} and conversation_key = ${key} and app_id = ${appId}`.execute(db)
}

export async function setTags(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  uid: string,
  tags: readonly string[],
): Promise<void> {
  await sql`
    update participants set tags = ${tags}
    where bucket = ${bucket} and conversation_key = ${key} and uid = ${uid} and app_id = ${appId}
  `.execute(db)
}

/** Nothing can be appended until the end. */
export async function lockHead(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
): Promise<void> {
  await sql`
    select from conversations
    where bucket = ${bucket} and conversation_key = ${key} and app_id = ${appId}
    for no key update`.execute(db)
}

/** Hides everything so far from this user, or from all of them, as read. */
export async function resetFor(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  uid: string | 'all',
): Promise<void> {
  const whose = uid === 'all' ? sql`true` : sql`p.uid = ${uid}`
  await sql`
    update participants p
    set reset_seq = c.head, read_seq = c.head, read_counted = c.counted, read_own = p.own,
        delivered_seq = c.head
    from conversations c
    where c.bucket = p.bucket and c.conversation_key = p.conversation_key
      and p.bucket = ${bucket} and p.conversation_key = ${key} and ${whose}
      and p.app_id = ${appId}`.execute(db)
}

/** Ends every conversation of a user with another; the entries are erased later. */
export async function deleteUserConversations({ appId, db }: AppDb, uid: string): Promise<void> {
  await sql`
    with gone as (
      delete from user_conversations
      where app_id = ${appId} and (low_uid = ${uid} or high_uid = ${uid})
      returning bucket, conversation_key
    ), left_by as (
      delete from participants p using gone
      where p.bucket = gone.bucket and p.conversation_key = gone.conversation_key
        and p.app_id = ${appId})
    delete from conversations c using gone
    where c.bucket = gone.bucket and c.conversation_key = gone.conversation_key
      and c.app_id = ${appId}`.execute(db)
}
