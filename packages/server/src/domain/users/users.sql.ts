import { type RawBuilder, sql } from 'kysely'
import { type AppDb, allOf, jsonb, startingWith } from '../../database/app-db.ts'
import { countedUpTo, type Key, type PageRequest } from '../../database/keyset.ts'

export interface UserRow {
  readonly uid: string
  readonly name: string
  readonly sortName: string
  readonly avatar: string | null
  readonly link: string | null
  readonly role: string
  readonly online: boolean | null
  readonly statusMessage: string | null
  readonly metadata: Record<string, unknown> | null
  readonly tags: string[] | null
  readonly createdAt: number
  readonly updatedAt: number | null
  readonly lastActiveAt: number | null
  readonly deactivatedAt: number | null
  readonly rowVersion: number
  /** As the viewer sees it: when the viewer blocked the user, and the other way round. */
  readonly blockedByMeAt: number | null
  readonly hasBlockedMeAt: number | null
}

/** Needs the tables `u` and `p`. */
export const userColumnsText = `
  u.uid, u.name, u.sort_name as "sortName", u.avatar, u.link, u.role, p.online,
  u.status_message as "statusMessage", u.metadata, u.tags, u.created_at as "createdAt",
  u.updated_at as "updatedAt", p.last_active_at as "lastActiveAt",
  u.deactivated_at as "deactivatedAt", u.row_version as "rowVersion"`

/** A user as seen by a viewer, who may be no one. */
function columns(viewer: string | undefined) {
  return sql`${sql.raw(userColumnsText)}, ${blocks(viewer)}`
}

function blocks(viewer: string | undefined) {
  if (viewer === undefined) return sql`null as "blockedByMeAt", null as "hasBlockedMeAt"`
  return sql`
    (select b.blocked_at from blocked_users b
     where b.app_id = u.app_id and b.uid = ${viewer} and b.blocked_uid = u.uid) as "blockedByMeAt",
    (select b.blocked_at from blocked_users b
     where b.app_id = u.app_id and b.uid = u.uid and b.blocked_uid = ${viewer}) as "hasBlockedMeAt"`
}

const source = sql`users u left join presence p on p.app_id = u.app_id and p.uid = u.uid`

export interface NewUser {
  readonly uid: string
  readonly name: string
  readonly sortName: string
  readonly role: string
  readonly avatar?: string
  readonly link?: string
  readonly statusMessage?: string
  readonly metadata?: object
  readonly tags?: readonly string[]
  readonly createdAt: number
}

/** False when the uid is taken. */
export async function insertUser({ appId, db }: AppDb, user: NewUser): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into users (app_id, uid, name, sort_name, avatar, link, role, status_message, metadata,
                       tags, created_at)
    values (${appId}, ${user.uid}, ${user.name}, ${user.sortName}, ${user.avatar ?? null},
            ${user.link ?? null}, ${user.role}, ${user.statusMessage ?? null},
            ${jsonb(user.metadata)}, ${user.tags ?? null}, ${user.createdAt})
    on conflict (app_id, uid) do nothing`.execute(db)
  return numAffectedRows === 1n
}

export async function findUser(
  { appId, db }: AppDb,
  uid: string,
  viewer: string | undefined,
): Promise<UserRow | undefined> {
  const { rows } = await sql<UserRow>`
    select ${columns(viewer)} from ${source}
    where u.app_id = ${appId} and u.uid = ${uid} and u.deactivated_at is null`.execute(db)
  return rows[0]
}

/**
 * Of these, the users that exist and are active. Until the end they are held against deletion
 * only, or `alone`: another call that wants one of them alone waits.
 */
export async function existingUids(
  { appId, db }: AppDb,
  uids: readonly string[],
  { alone = false } = {},
): Promise<Set<string>> {
  const { rows } = await sql<{ uid: string }>`
    select uid from users
    where app_id = ${appId} and uid = any(${uids}) and deactivated_at is null
    order by uid ${alone ? sql`for no key update` : sql`for key share`}`.execute(db)
  return new Set(rows.map(({ uid }) => uid))
}

/** Deactivated ones too: entries may still speak of them. */
export async function findUsers(
  { appId, db }: AppDb,
  uids: readonly string[],
  viewer: string | undefined,
): Promise<UserRow[]> {
  if (uids.length === 0) return []
  const { rows } = await sql<UserRow>`
    select ${columns(viewer)} from ${source}
    where u.app_id = ${appId} and u.uid = any(${uids})`.execute(db)
  return rows
}

/** `undefined` leaves a column as it is, `null` empties it. */
export interface UserChanges {
  readonly name: string | undefined
  readonly sortName: string | undefined
  readonly role: string | undefined
  readonly avatar: string | null | undefined
  readonly link: string | null | undefined
  readonly statusMessage: string | undefined
  readonly metadata: object | null | undefined
  readonly tags: readonly string[] | undefined
}

export async function updateUser(
  { appId, db }: AppDb,
  uid: string,
  changes: UserChanges,
  now: number,
): Promise<boolean> {
  const set = (column: string, value: unknown) =>
    value === undefined ? [] : [sql`${sql.ref(column)} = ${value}`]
  const changed = sql.join([
    sql`updated_at = ${now}`,
    ...set('name', changes.name),
    ...set('sort_name', changes.sortName),
    ...set('role', changes.role),
    ...set('avatar', changes.avatar),
    ...set('link', changes.link),
    ...set('status_message', changes.statusMessage),
    ...set('tags', changes.tags),
    ...(changes.metadata === undefined
      ? []
      : [sql`metadata = ${jsonb(changes.metadata ?? undefined)}`]),
  ])
  const { numAffectedRows } = await sql`
    update users set ${changed}
    where app_id = ${appId} and uid = ${uid} and deactivated_at is null`.execute(db)
  return numAffectedRows === 1n
}

export interface Activity {
  readonly uid: string
  readonly changed: boolean
}

/** Sets or ends deactivation; says of each uid that exists whether it changed. */
export async function setActive(
  { appId, db }: AppDb,
  uids: readonly string[],
  active: boolean,
  now: number,
): Promise<Activity[]> {
  const { rows } = await sql<Activity>`
    with found as (
      select uid, deactivated_at from users
      where app_id = ${appId} and uid = any(${uids}) order by uid for no key update),
    changed as (
      update users u set deactivated_at = ${active ? null : now}
      from found where u.app_id = ${appId} and u.uid = found.uid
        and (found.deactivated_at is null) <> ${active}
      returning u.uid)
    select uid, uid in (select uid from changed) as changed from found`.execute(db)
  return rows
}

/** The row goes, and with it tokens, friendships and blocks. */
export async function deleteUserForever({ appId, db }: AppDb, uid: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from users where app_id = ${appId} and uid = ${uid}`.execute(db)
  return numAffectedRows === 1n
}

export interface UserFilter {
  readonly search:
    | { readonly text: string; readonly inName: boolean; readonly inUid: boolean }
    | undefined
  readonly status: 'available' | 'offline' | undefined
  readonly roles: readonly string[] | undefined
  readonly uids: readonly string[] | undefined
  readonly tags: readonly string[] | undefined
  /** Which of active and deactivated users. */
  readonly active: readonly boolean[]
  readonly friendsOf: string | undefined
  readonly viewer: string | undefined
}

/** Up to so many uids are looked up one by one; more are met soon enough on the walk by name. */
const maxLookedUp = { byUid: 1000, online: 5000 }

type Condition = RawBuilder<unknown> | undefined

/** How to find those who match: each by uid when they are few, in passing when they are many. */
interface Ways {
  readonly byUid: Condition
  readonly online: Condition
}

/**
 * A list as a union of branches that do not overlap: active and deactivated users, each role,
 * matches of the name and then of the uid. So each branch is one ordered walk of one index, which
 * stops at the end of the page.
 */
function branches(
  appId: string,
  filter: UserFilter,
  ways: Ways,
  select: RawBuilder<unknown>,
  tail: RawBuilder<unknown>,
) {
  const { search, roles, uids, tags, status, friendsOf } = filter
  const byName = search && sql`u.sort_name like ${startingWith(search.text)}`
  const byUidOnly = allOf([ways.byUid, search?.inName ? sql`not (${byName})` : undefined])
  const searches = [...(search?.inName ? [byName] : []), ...(search?.inUid ? [byUidOnly] : [])]
  const parts: RawBuilder<unknown>[] = []
  for (const active of filter.active) {
    for (const role of roles ? new Set(roles) : [undefined]) {
      for (const match of search ? searches : [undefined]) {
        const where = allOf([
          sql`u.app_id = ${appId}`,
          // As the partial indexes say it.
          active ? sql`u.deactivated_at is null` : sql`u.deactivated_at is not null`,
          role === undefined ? undefined : sql`u.role = ${role}`,
          match,
          sql`u.uid <> 'app_system'`,
          uids && sql`u.uid = any(${uids})`,
          tags && sql`u.tags && ${tags}`,
          status && (status === 'available' ? ways.online : sql`not (${ways.online})`),
          friendsOf === undefined
            ? undefined
            : sql`exists (select from friends f
                where f.app_id = ${appId} and f.uid = ${friendsOf} and f.friend_uid = u.uid)`,
        ])
        parts.push(sql`(select ${select} from users u where ${where} ${tail})`)
      }
    }
  }
  return sql.join(parts, sql` union all `)
}

function isOnline(appId: string) {
  return sql`exists (select from presence o
    where o.app_id = ${appId} and o.uid = u.uid and o.online)`
}

/**
 * Which way is better is asked of the index. The planner cannot know: its statistics are of all
 * apps together.
 */
async function waysOf({ appId, db }: AppDb, { search, status }: UserFilter): Promise<Ways> {
  const lookUp = async (uids: RawBuilder<unknown>, most: number): Promise<Condition> => {
    const { rows } = await sql<{ few: boolean }>`
      select count(*) <= ${most} as few from (${uids} limit ${most + 1}) as found`.execute(db)
    return rows[0]?.few ? sql`u.uid = any(array(${uids}))` : undefined
  }
  // The order keeps to the index: with a limit alone the whole table looks cheaper.
  const online = sql`
    select o.uid from presence o where o.app_id = ${appId} and o.online order by o.uid`
  return {
    byUid: search?.inUid
      ? ((await lookUp(
          sql`select m.uid from users m
              where m.app_id = ${appId} and m.uid like ${startingWith(search.text)}
              order by m.uid`,
          maxLookedUp.byUid,
        )) ??
        // A `like` would make the planner look up all the same.
        sql`left(u.uid, ${[...search.text].length}) = ${search.text}`)
      : undefined,
    online:
      (status === 'available' ? await lookUp(online, maxLookedUp.online) : undefined) ??
      isOnline(appId),
  }
}

/** First the keys of the page, from an index alone where that is possible; then its rows. */
export async function listUsers(
  appDb: AppDb,
  filter: UserFilter,
  page: PageRequest & { readonly after: Key | undefined },
): Promise<UserRow[]> {
  const { appId, db } = appDb
  const offset = page.after ? 0 : (page.page - 1) * page.perPage
  const keyset = page.after
    ? sql`and (u.sort_name, u.uid) > (${page.after[0]}, ${page.after[1]})`
    : sql``
  const tail = sql`${keyset} order by u.sort_name, u.uid limit ${offset + page.perPage}`
  const ways = await waysOf(appDb, filter)
  const { rows } = await sql<UserRow>`
    select ${columns(filter.viewer)}
    from (select sort_name, uid
          from (${branches(appId, filter, ways, sql`u.sort_name, u.uid`, tail)}) as found
          order by sort_name, uid limit ${page.perPage} offset ${offset}) as page
    join users u on u.app_id = ${appId} and u.uid = page.uid
    left join presence p on p.app_id = u.app_id and p.uid = u.uid
    order by page.sort_name, page.uid`.execute(db)
  return rows
}

/** Exact when asked for, or when there are few; otherwise 0: not computed. */
export async function countUsers(
  { appId, db }: AppDb,
  filter: UserFilter,
  exact: boolean,
): Promise<number> {
  const { search } = filter
  const ways = {
    byUid: search && sql`u.uid like ${startingWith(search.text)}`,
    online: isOnline(appId),
  }
  // Ordered for the same reason as above.
  const tail = exact ? sql`` : sql`order by u.sort_name, u.uid limit ${countedUpTo + 1}`
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from (${branches(appId, filter, ways, sql`1`, tail)}) as found`.execute(db)
  const counted = rows[0]?.n ?? 0
  return exact || counted <= countedUpTo ? counted : 0
}

/** Users by a table of relations: rows of `r` with the column `uid`. */
export async function relatedUsers(
  { appId, db }: AppDb,
  viewer: string,
  relation: RawBuilder<unknown>,
  options: { searchKey: string | undefined; order: RawBuilder<unknown>; tail: RawBuilder<unknown> },
): Promise<UserRow[]> {
  const prefix = options.searchKey === undefined ? undefined : startingWith(options.searchKey)
  const conditions = allOf([
    sql`u.app_id = ${appId}`,
    sql`u.deactivated_at is null`,
    prefix === undefined ? undefined : sql`(u.uid like ${prefix} or u.sort_name like ${prefix})`,
  ])
  const { rows } = await sql<UserRow>`
    select ${columns(viewer)} from (${relation}) as r
    join users u on u.app_id = ${appId} and u.uid = r.uid
    left join presence p on p.app_id = u.app_id and p.uid = u.uid
    where ${conditions} ${options.order} ${options.tail}`.execute(db)
  return rows
}
