import { type RawBuilder, sql } from 'kysely'
import { type AppDb, allOf, startingWith } from '../../database/app-db.ts'
import type { Db } from '../../database/db.ts'
import type { Key, PageRequest } from '../../database/keyset.ts'
import type { ConversationKey } from '../../outbox/committed.ts'
import type { EntryRow } from '../log/entries/index.ts'
import { keysTable, type ParticipantKey } from '../log/imported/index.ts'

/** A conversation as one of its participants has it. */
export interface ConversationRow extends ConversationKey {
  readonly uid: string
  readonly withUid: string | null
  readonly withGuid: string | null
  readonly unread: number
  readonly tags: string[] | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly last: EntryRow | null
}

/**
 * Counted entries behind the position, less one's own, less those withdrawn since. Exact at any
 * size: a send never writes a row per participant.
 */
const unread = sql`
  c.counted - p.read_counted - (p.own - p.read_own) - (
    select count(*) from entries w
    where w.bucket = p.bucket and w.conversation_key = p.conversation_key and w.seq > p.read_seq
      and w.counts and w.deleted_at is not null and w.sender <> p.uid)`

/**
 * The head of each participant's conversation. The limit keeps the planner from reading the heads
 * of the whole install instead, which it thinks cheaper for a user with some hundred of them.
 */
const joined = sql`
  participants p
  cross join lateral (
    select c.updated_at, c.shown_seq, c.counted from conversations c
    where c.bucket = p.bucket and c.conversation_key = p.conversation_key limit 1) c`

/** Full rows for the few that were chosen: the last message and the unread count cost a probe each. */
function complete(chosen: RawBuilder<unknown>) {
  return sql`
    select p.bucket, p.conversation_key as key, p.uid, p.with_uid as "withUid",
           p.with_guid as "withGuid", p.tags, c.created_at as "createdAt",
           c.updated_at as "updatedAt", (${unread})::bigint as unread,
           (select jsonb_build_object(
              'bucket', e.bucket, 'key', e.conversation_key, 'seq', e.seq,
              'id', e.id, 'sender', e.sender, 'category', e.category, 'type', e.type,
              'muid', e.muid, 'data', e.data::text, 'extra', e.extra, 'sentAt', e.sent_at,
              'updatedAt', coalesce(e.updated_at, e.sent_at), 'editedAt', e.edited_at, 'deletedAt', e.deleted_at)
            from entries e
            where e.bucket = c.bucket and e.conversation_key = c.conversation_key
              and e.seq = c.shown_seq and e.deleted_at is null) as last
    from (${chosen}) as chosen
    cross join lateral (
      select * from participants p
      where p.bucket = chosen.bucket and p.conversation_key = chosen.conversation_key
        and p.uid = chosen.uid limit 1) p
    cross join lateral (
      select * from conversations c
      where c.bucket = p.bucket and c.conversation_key = p.conversation_key limit 1) c
    where c.shown_seq > p.reset_seq`
}

/** Undefined before the first message, and after a reset until the next. */
export async function findConversation(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  uid: string,
): Promise<ConversationRow | undefined> {
  const chosen = sql`
    select p.bucket, p.conversation_key, p.uid from participants p
    where p.bucket = ${bucket} and p.conversation_key = ${key} and p.uid = ${uid}
      and p.app_id = ${appId}`
  const { rows } = await sql<ConversationRow>`${complete(chosen)}`.execute(db)
  return rows[0]
}

export interface ConversationFilter {
  readonly uid: string | undefined
  readonly kind: 'user' | 'group' | undefined
  readonly search: string | undefined
  readonly tags: readonly string[] | undefined
  readonly userTags: readonly string[] | undefined
  readonly groupTags: readonly string[] | undefined
  readonly includeBlockedUsers: boolean
  readonly unreadOnly: boolean
}

/**
 * One user's conversations, the last active first: the heads of all of them are compared, and only
 * a page of them is completed. For the whole app, user by user.
 */
export async function listConversations(
  { appId, db }: AppDb,
  filter: ConversationFilter,
  page: PageRequest & { readonly after: Key | undefined },
): Promise<ConversationRow[]> {
  const { after, perPage } = page
  const offset = after ? 0 : (page.page - 1) * perPage
  const order = filter.uid === undefined ? byUser(after) : byActivity(after)
  const chosen = sql`
    select p.bucket, p.conversation_key, p.uid from ${joined}
    where ${matching(appId, filter)} and ${order.behind}
    order by ${order.by} limit ${perPage} offset ${offset}`
  const { rows } = await sql<ConversationRow>`
    ${complete(chosen)} order by ${order.by}`.execute(db)
  return rows
}

function byActivity(after: Key | undefined) {
  return {
    by: sql`c.updated_at desc, p.conversation_key desc`,
    behind: after
      ? sql`(c.updated_at, p.conversation_key) < (${after[0]}, ${after[1]})`
      : sql`true`,
  }
}

function byUser(after: Key | undefined) {
  return {
    by: sql`p.uid, p.conversation_key`,
    behind: after ? sql`(p.uid, p.conversation_key) > (${after[0]}, ${after[1]})` : sql`true`,
  }
}

function matching(appId: string, filter: ConversationFilter) {
  return allOf([
    sql`p.app_id = ${appId}`,
    sql`c.shown_seq > p.reset_seq`,
    filter.uid === undefined ? undefined : sql`p.uid = ${filter.uid}`,
    filter.kind === 'user' ? sql`p.with_uid is not null` : undefined,
    filter.kind === 'group' ? sql`p.with_guid is not null` : undefined,
    filter.tags && sql`p.tags && ${filter.tags}`,
    filter.search === undefined ? undefined : withNameLike(filter.search),
    filter.userTags &&
      sql`exists (select from users u where u.app_id = p.app_id and u.uid = p.with_uid
                  and u.tags && ${filter.userTags})`,
    filter.groupTags &&
      sql`exists (select from groups g where g.app_id = p.app_id and g.guid = p.with_guid
                  and g.tags && ${filter.groupTags})`,
    filter.includeBlockedUsers ? undefined : withoutBlocks,
    filter.unreadOnly ? sql`${unread} > 0` : undefined,
  ])
}

const withoutBlocks = sql`
  (p.with_uid is null or not exists (
    select from blocked_users b where b.app_id = p.app_id
      and ((b.uid = p.uid and b.blocked_uid = p.with_uid)
        or (b.uid = p.with_uid and b.blocked_uid = p.uid))))`

function withNameLike(search: string) {
  const prefix = startingWith(search)
  return sql`
    (exists (select from users u where u.app_id = p.app_id and u.uid = p.with_uid
             and u.sort_name like ${prefix})
     or exists (select from groups g where g.app_id = p.app_id and g.guid = p.with_guid
                and g.sort_name like ${prefix}))`
}

export interface UnreadRow {
  readonly withUid: string | null
  readonly withGuid: string | null
  readonly count: number
}

/** How much a user has not read: of one conversation, or of each where there is anything. */
export async function countUnread(
  { appId, db }: AppDb,
  uid: string,
  of?: ConversationKey,
): Promise<UnreadRow[]> {
  const which = of
    ? sql`p.bucket = ${of.bucket} and p.conversation_key = ${of.key}`
    : sql`${unread} > 0`
  const { rows } = await sql<UnreadRow>`
    select p.with_uid as "withUid", p.with_guid as "withGuid", (${unread})::bigint as count
    from ${joined} where p.app_id = ${appId} and p.uid = ${uid} and ${which}
    order by c.updated_at desc, p.conversation_key desc`.execute(db)
  return rows
}

/** How much each of them has not read in their conversation, in the order of the list. */
export async function countUnreadOf(
  { appId, db }: AppDb,
  participants: readonly ParticipantKey[],
): Promise<number[]> {
  const { rows } = await sql<{ count: number }>`
    select coalesce(${unread}, 0)::bigint as count
    from ${keysTable(participants)}
    left join lateral (
      select * from participants p
      where p.bucket = r.bucket and p.conversation_key = r.key and p.uid = r.uid
        and p.app_id = ${appId} limit 1) p on true
    left join lateral (
      select c.counted from conversations c
      where c.bucket = r.bucket and c.conversation_key = r.key limit 1) c on true
    order by r.nth`.execute(db)
  return rows.map(({ count }) => count)
}

export interface Reader {
  readonly appId: string
  readonly uid: string
}

/** What each of them has not read, in all of their conversations together. */
export async function unreadTotals(
  db: Db,
  readers: readonly Reader[],
  nameOf: (reader: Reader) => string,
): Promise<Map<string, number>> {
  const { rows } = await sql<Reader & { total: number }>`
    select p.app_id as "appId", p.uid, sum(${unread})::bigint as total
    from unnest(${readers.map(({ appId }) => appId)}::text[],
      ${readers.map(({ uid }) => uid)}::text[]) as r(app_id, uid)
    join lateral (select * from participants p where p.app_id = r.app_id and p.uid = r.uid) p on true
    cross join lateral (
      select c.counted from conversations c
      where c.bucket = p.bucket and c.conversation_key = p.conversation_key limit 1) c
    group by p.app_id, p.uid`.execute(db)
  return new Map(rows.map((row) => [nameOf(row), row.total]))
}
