import { sql } from 'kysely'
import { type AppDb, startingWith } from '../../../database/app-db.ts'
import type { Key, PageRequest } from '../../../database/keyset.ts'
import { relatedUsers, type UserRow } from '../users.sql.ts'

/** Two rows each, in key order: crossing calls cannot deadlock. */
export async function insertFriends(
  { appId, db }: AppDb,
  uid: string,
  friends: readonly string[],
  now: number,
): Promise<void> {
  await sql`
    insert into friends (app_id, uid, friend_uid, created_at)
    select ${appId}, pair.a, pair.b, ${now}
    from unnest(${friends}::text[]) as friend,
         lateral (values (${uid}, friend), (friend, ${uid})) as pair(a, b)
    order by pair.a, pair.b
    on conflict (app_id, uid, friend_uid) do nothing`.execute(db)
}

export async function deleteFriends({ appId, db }: AppDb, uid: string, friends: readonly string[]) {
  await sql`
    delete from friends where app_id = ${appId}
      and ((uid = ${uid} and friend_uid = any(${friends}))
        or (uid = any(${friends}) and friend_uid = ${uid}))`.execute(db)
}

export async function friendsAmong(
  { appId, db }: AppDb,
  uid: string,
  others: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ uid: string }>`
    select friend_uid as uid from friends
    where app_id = ${appId} and uid = ${uid} and friend_uid = any(${others})`.execute(db)
  return new Set(rows.map((row) => row.uid))
}

/** How many friends each has, deactivated ones included; no entry: none. */
export async function friendCounts(
  { appId, db }: AppDb,
  uids: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ uid: string; n: number }>`
    select uid, count(*) as n from friends
    where app_id = ${appId} and uid = any(${uids}) group by uid`.execute(db)
  return new Map(rows.map(({ uid, n }) => [uid, n]))
}

export async function areFriends(db: AppDb, a: string, b: string): Promise<boolean> {
  return (await friendsAmong(db, a, [b])).has(b)
}

function friendsOf(appId: string, uid: string) {
  return sql`select friend_uid as uid from friends where app_id = ${appId} and uid = ${uid}`
}

/** A user has at most a thousand friends: they are sorted, not walked. */
export async function listFriends(
  appDb: AppDb,
  uid: string,
  query: PageRequest & { searchKey: string | undefined; after: Key | undefined },
): Promise<UserRow[]> {
  const { after, page, perPage } = query
  const keyset = after ? sql`and (u.sort_name, u.uid) > (${after[0]}, ${after[1]})` : sql``
  return relatedUsers(appDb, uid, friendsOf(appDb.appId, uid), {
    searchKey: query.searchKey,
    order: sql`${keyset} order by u.sort_name, u.uid`,
    tail: sql`limit ${perPage} offset ${after ? 0 : (page - 1) * perPage}`,
  })
}

export async function countFriends(
  { appId, db }: AppDb,
  uid: string,
  searchKey: string | undefined,
): Promise<number> {
  const prefix = startingWith(searchKey ?? '')
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from (${friendsOf(appId, uid)}) as r
    join users u on u.app_id = ${appId} and u.uid = r.uid
    where u.deactivated_at is null and (u.uid like ${prefix} or u.sort_name like ${prefix})`.execute(
    db,
  )
  return rows[0]?.n ?? 0
}
