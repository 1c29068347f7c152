import { sql } from 'kysely'
import { type AppDb, startingWith } from '../../../database/app-db.ts'
import { countedUpTo, type Key, type PageRequest } from '../../../database/keyset.ts'
import { relatedUsers, type UserRow } from '../users.sql.ts'

type Direction = 'blockedByMe' | 'hasBlockedMe' | 'both'

/** Of these, who was not blocked before. */
export async function insertBlocks(
  { appId, db }: AppDb,
  uid: string,
  others: readonly string[],
  now: number,
): Promise<Set<string>> {
  const { rows } = await sql<{ uid: string }>`
    insert into blocked_users (app_id, uid, blocked_uid, blocked_at)
    select ${appId}, ${uid}, other, ${now} from unnest(${others}::text[]) as other order by other
    on conflict (app_id, uid, blocked_uid) do nothing
    returning blocked_uid as uid`.execute(db)
  return new Set(rows.map((row) => row.uid))
}

export async function deleteBlocks({ appId, db }: AppDb, uid: string, others: readonly string[]) {
  await sql`
    delete from blocked_users
    where app_id = ${appId} and uid = ${uid} and blocked_uid = any(${others})`.execute(db)
}

export async function blockedAmong(
  { appId, db }: AppDb,
  uid: string,
  others: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ uid: string }>`
    select blocked_uid as uid from blocked_users
    where app_id = ${appId} and uid = ${uid} and blocked_uid = any(${others})`.execute(db)
  return new Set(rows.map((row) => row.uid))
}

/** Both directions meet in one list: `union` takes out who stands in both. */
function relation(appId: string, uid: string, direction: Direction) {
  const mine = sql`select blocked_uid as uid from blocked_users where app_id = ${appId} and uid = ${uid}`
  const theirs = sql`select uid from blocked_users where app_id = ${appId} and blocked_uid = ${uid}`
  if (direction === 'both') return sql`${mine} union ${theirs}`
  return direction === 'blockedByMe' ? mine : theirs
}

interface BlockFilter {
  readonly direction: Direction
  readonly searchKey?: string | undefined
}

export async function listBlockedUsers(
  appDb: AppDb,
  uid: string,
  query: PageRequest & BlockFilter & { after: Key | undefined },
): Promise<UserRow[]> {
  const { after, page, perPage } = query
  const keyset = after ? sql`and r.uid > ${after[0]}` : sql``
  return relatedUsers(appDb, uid, relation(appDb.appId, uid, query.direction), {
    searchKey: query.searchKey,
    order: sql`${keyset} order by r.uid`,
    tail: sql`limit ${perPage} offset ${after ? 0 : (page - 1) * perPage}`,
  })
}

export async function countBlockedUsers(
  { appId, db }: AppDb,
  uid: string,
  { direction, searchKey }: BlockFilter,
): Promise<number> {
  const prefix = startingWith(searchKey ?? '')
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from (
      select from (${relation(appId, uid, direction)}) as r
      join users u on u.app_id = ${appId} and u.uid = r.uid
      where u.deactivated_at is null and (u.uid like ${prefix} or u.sort_name like ${prefix})
      limit ${countedUpTo + 1}) as found`.execute(db)
  const counted = rows[0]?.n ?? 0
  return counted <= countedUpTo ? counted : 0
}
