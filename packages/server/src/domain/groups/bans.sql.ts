import { sql } from 'kysely'
import { type AppDb, startingWith } from '../../database/app-db.ts'
import type { Key, PageRequest } from '../../database/keyset.ts'

export async function bannedAmong(
  { appId, db }: AppDb,
  guid: string,
  uids: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ uid: string }>`
    select uid from group_bans
    where app_id = ${appId} and guid = ${guid} and uid = any(${uids})`.execute(db)
  return new Set(rows.map(({ uid }) => uid))
}

/** False when the user was banned already. */
export async function insertBan(
  { appId, db }: AppDb,
  guid: string,
  uid: string,
  by: { uid: string; at: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into group_bans (app_id, guid, uid, banned_at, banned_by)
    values (${appId}, ${guid}, ${uid}, ${by.at}, ${by.uid})
    on conflict (app_id, guid, uid) do nothing`.execute(db)
  return numAffectedRows === 1n
}

export async function deleteBan({ appId, db }: AppDb, guid: string, uid: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from group_bans where app_id = ${appId} and guid = ${guid} and uid = ${uid}`.execute(db)
  return numAffectedRows === 1n
}

export async function listBans(
  { appId, db }: AppDb,
  guid: string,
  searchKey: string | undefined,
  page: PageRequest & { readonly after: Key | undefined },
): Promise<string[]> {
  const behind = page.after ? sql`and b.uid > ${page.after[0]}` : sql``
  const offset = page.after ? 0 : (page.page - 1) * page.perPage
  const { rows } = await sql<{ uid: string }>`
    select b.uid ${matching(appId, guid, searchKey)} ${behind}
    order by b.uid limit ${page.perPage} offset ${offset}`.execute(db)
  return rows.map(({ uid }) => uid)
}

export async function countBans(
  { appId, db }: AppDb,
  guid: string,
  searchKey: string | undefined,
): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n ${matching(appId, guid, searchKey)}`.execute(db)
  return rows[0]?.n ?? 0
}

function matching(appId: string, guid: string, searchKey: string | undefined) {
  const prefix = startingWith(searchKey ?? '')
  return sql`
    from group_bans b join users u on u.app_id = b.app_id and u.uid = b.uid
    where b.app_id = ${appId} and b.guid = ${guid}
      and (u.uid like ${prefix} or u.sort_name like ${prefix})`
}
