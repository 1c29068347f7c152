import type { GroupScope } from '@chorale/contract/groups'
import { sql } from 'kysely'
import { type AppDb, allOf, startingWith } from '../../database/app-db.ts'
import type { Key, PageRequest } from '../../database/keyset.ts'

export interface Membership {
  readonly uid: string
  readonly scope: GroupScope
  readonly joinedAt: number
}

/** Memberships of these users; locked, when the call is about to change them. */
export async function findMembers(
  { appId, db }: AppDb,
  guid: string,
  uids: readonly string[],
  lock: boolean,
): Promise<Map<string, Membership>> {
  const { rows } = await sql<Membership>`
    select uid, scope, joined_at as "joinedAt" from group_members
    where app_id = ${appId} and guid = ${guid} and uid = any(${uids})
    order by uid ${lock ? sql`for update` : sql``}`.execute(db)
  return new Map(rows.map((row) => [row.uid, row]))
}

/** Who of these was not a member before: of two calls at once, one adds. */
export async function insertMembers(
  { appId, db }: AppDb,
  guid: string,
  members: readonly { uid: string; scope: GroupScope }[],
  now: number,
): Promise<Set<string>> {
  const { rows } = await sql<{ uid: string }>`
    insert into group_members (app_id, guid, uid, scope, joined_at)
    select ${appId}, ${guid}, m.uid, m.scope, ${now}
    from unnest(${members.map(({ uid }) => uid)}::text[],
                ${members.map(({ scope }) => scope)}::text[]) as m(uid, scope)
    order by m.uid
    on conflict (app_id, guid, uid) do nothing
    returning uid`.execute(db)
  return new Set(rows.map(({ uid }) => uid))
}

export async function updateScope(
  { appId, db }: AppDb,
  guid: string,
  uid: string,
  scope: GroupScope,
): Promise<void> {
  await sql`
    update group_members set scope = ${scope}
    where app_id = ${appId} and guid = ${guid} and uid = ${uid}`.execute(db)
}

export async function deleteMember(
  { appId, db }: AppDb,
  guid: string,
  uid: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from group_members
    where app_id = ${appId} and guid = ${guid} and uid = ${uid}`.execute(db)
  return numAffectedRows === 1n
}

/** Groups that a user is in, a few at a time: for someone who goes for good. */
export async function groupsOf({ appId, db }: AppDb, uid: string): Promise<string[]> {
  const { rows } = await sql<{ guid: string }>`
    select guid from group_members where app_id = ${appId} and uid = ${uid} order by guid`.execute(
    db,
  )
  return rows.map(({ guid }) => guid)
}

/** Who takes over: the admin who joined first. */
export async function oldestAdmin(
  { appId, db }: AppDb,
  guid: string,
  except: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ uid: string }>`
    select uid from group_members
    where app_id = ${appId} and guid = ${guid} and scope = 'admin' and uid <> ${except}
    order by joined_at, uid limit 1`.execute(db)
  return rows[0]?.uid
}

export interface MemberFilter {
  readonly scopes?: readonly string[] | undefined
  readonly status?: 'available' | 'offline' | undefined
  readonly searchKey?: string | undefined
  /** Only this user and their friends. */
  readonly friendsOf?: string | undefined
}

function matching(appId: string, guid: string, filter: MemberFilter) {
  const prefix = filter.searchKey === undefined ? undefined : startingWith(filter.searchKey)
  return allOf([
    sql`m.app_id = ${appId}`,
    sql`m.guid = ${guid}`,
    sql`u.deactivated_at is null`,
    filter.scopes && sql`m.scope = any(${filter.scopes})`,
    filter.status && sql`coalesce(p.online, false) = ${filter.status === 'available'}`,
    prefix === undefined ? undefined : sql`(u.uid like ${prefix} or u.sort_name like ${prefix})`,
    filter.friendsOf === undefined
      ? undefined
      : sql`(m.uid = ${filter.friendsOf} or exists (
          select from friends f where f.app_id = m.app_id and f.uid = ${filter.friendsOf}
            and f.friend_uid = m.uid))`,
  ])
}

const source = sql`
  group_members m
  join users u on u.app_id = m.app_id and u.uid = m.uid
  left join presence p on p.app_id = m.app_id and p.uid = m.uid`

/** Members by uid: the order of the key, so that a page costs a page in a group of any size. */
export async function listMembers(
  { appId, db }: AppDb,
  guid: string,
  filter: MemberFilter,
  page: PageRequest & { readonly after: Key | undefined },
): Promise<Membership[]> {
  const behind = page.after ? sql`and m.uid > ${page.after[0]}` : sql``
  const offset = page.after ? 0 : (page.page - 1) * page.perPage
  const { rows } = await sql<Membership>`
    select m.uid, m.scope, m.joined_at as "joinedAt" from ${source}
    where ${matching(appId, guid, filter)} ${behind}
    order by m.uid limit ${page.perPage} offset ${offset}`.execute(db)
  return rows
}
