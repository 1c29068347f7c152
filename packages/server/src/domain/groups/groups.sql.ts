import type { GroupType } from '@chorale/contract/groups'
import { sql } from 'kysely'
import { type AppDb, allOf, jsonb, startingWith } from '../../database/app-db.ts'
import { countedUpTo, type Key, type PageRequest } from '../../database/keyset.ts'
import type { ConversationKey } from '../../outbox/committed.ts'
import { type GroupRow, groupColumns, groupSource } from '../views/index.ts'

export interface NewGroup extends ConversationKey {
  readonly guid: string
  readonly name: string
  readonly sortName: string
  readonly type: GroupType
  readonly passwordHash: string | null
  readonly owner: string
  readonly icon?: string
  readonly description?: string
  readonly metadata?: object
  readonly tags?: readonly string[]
  readonly createdAt: number
}

/** False when the guid is taken. */
export async function insertGroup({ appId, db }: AppDb, group: NewGroup): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into groups (app_id, guid, name, sort_name, type, password_hash, icon, description,
                        metadata, owner, tags, bucket, conversation_key, created_at)
    values (${appId}, ${group.guid}, ${group.name}, ${group.sortName}, ${group.type},
            ${group.passwordHash}, ${group.icon ?? null}, ${group.description ?? null},
            ${jsonb(group.metadata)}, ${group.owner}, ${group.tags ?? null}, ${group.bucket},
            ${group.key}, ${group.createdAt})
    on conflict (app_id, guid) do nothing`.execute(db)
  return numAffectedRows === 1n
}

/** What rules need to know of a group. */
export interface GroupFacts extends ConversationKey {
  readonly guid: string
  readonly type: GroupType
  readonly passwordHash: string | null
  readonly owner: string
}

/**
 * `share`: cannot be deleted or handed over meanwhile. `change`: this call changes the group itself.
 */
export type Hold = 'none' | 'share' | 'change'

export async function findGroupFacts(
  { appId, db }: AppDb,
  guid: string,
  hold: Hold,
): Promise<GroupFacts | undefined> {
  const lock = { none: sql``, share: sql`for share`, change: sql`for no key update` }[hold]
  const { rows } = await sql<GroupFacts>`
    select guid, type, password_hash as "passwordHash", owner, bucket, conversation_key as key
    from groups where app_id = ${appId} and guid = ${guid} ${lock}`.execute(db)
  return rows[0]
}

export async function findGroup(
  { appId, db }: AppDb,
  guid: string,
  viewer: string | undefined,
): Promise<GroupRow | undefined> {
  const { rows } = await sql<GroupRow>`
    select ${groupColumns} from ${groupSource(viewer)}
    where g.app_id = ${appId} and g.guid = ${guid}`.execute(db)
  return rows[0]
}

/** `undefined` leaves a column as it is, `null` empties it. */
export interface GroupChanges {
  readonly name?: string | undefined
  readonly sortName?: string | undefined
  readonly type?: GroupType | undefined
  readonly passwordHash?: string | null | undefined
  readonly icon?: string | null | undefined
  readonly description?: string | null | undefined
  readonly metadata?: object | null | undefined
  readonly tags?: readonly string[] | undefined
  readonly owner?: string | undefined
}

export async function updateGroup(
  { appId, db }: AppDb,
  guid: string,
  changes: GroupChanges,
  by: { uid: string; at: number },
): Promise<void> {
  const set = (column: string, value: unknown) =>
    value === undefined ? [] : [sql`${sql.ref(column)} = ${value}`]
  const changed = sql.join([
    sql`updated_at = ${by.at}, updated_by = ${by.uid}`,
    ...set('name', changes.name),
    ...set('sort_name', changes.sortName),
    ...set('type', changes.type),
    ...set('password_hash', changes.passwordHash),
    ...set('icon', changes.icon),
    ...set('description', changes.description),
    ...set('tags', changes.tags),
    ...set('owner', changes.owner),
    ...(changes.metadata === undefined
      ? []
      : [sql`metadata = ${jsonb(changes.metadata ?? undefined)}`]),
  ])
  await sql`update groups set ${changed} where app_id = ${appId} and guid = ${guid}`.execute(db)
}

export async function deleteGroup({ appId, db }: AppDb, guid: string): Promise<void> {
  await sql`delete from groups where app_id = ${appId} and guid = ${guid}`.execute(db)
}

export interface GroupFilter {
  readonly viewer: string | undefined
  readonly search:
    | { readonly text: string; readonly inName: boolean; readonly inGuid: boolean }
    | undefined
  /** Empty: none, so nothing matches. */
  readonly types: readonly string[] | undefined
  readonly tags: readonly string[] | undefined
  readonly joinedOnly: boolean
  /** Groups changed at or after (`append`), or before (`prepend`) this time. */
  readonly updated: { readonly at: number; readonly affix: 'append' | 'prepend' } | undefined
}

export interface GroupOrder {
  readonly by: 'name' | 'guid' | 'createdAt'
  readonly descending: boolean
}

/**
 * A union of two ordered walks: groups that everyone sees, and private ones. Of the private ones a
 * viewer sees those of their own, found through their memberships.
 */
function branches(appId: string, filter: GroupFilter, columns: unknown, tail: unknown) {
  const kinds = [false, true].filter((isPrivate) =>
    filter.types ? filter.types.some((type) => (type === 'private') === isPrivate) : true,
  )
  const parts = kinds.map((isPrivate) => {
    const ownOnly = filter.viewer !== undefined && (isPrivate || filter.joinedOnly)
    const conditions = allOf([
      sql`g.app_id = ${appId}`,
      sql`(g.type = 'private') = ${isPrivate}`,
      ownOnly ? sql`m.uid is not null` : undefined,
      filter.types && sql`g.type = any(${filter.types})`,
      filter.tags && sql`g.tags && ${filter.tags}`,
      filter.search && matches(filter.search),
      filter.updated && changedSince(filter.updated),
    ])
    return sql`(select ${columns} from ${groupSource(filter.viewer)} where ${conditions} ${tail})`
  })
  return sql.join(parts, sql` union all `)
}

function matches({ text, inName, inGuid }: NonNullable<GroupFilter['search']>) {
  const prefix = startingWith(text)
  const either = [
    ...(inName ? [sql`g.sort_name like ${prefix}`] : []),
    ...(inGuid ? [sql`g.guid like ${prefix}`] : []),
  ]
  return sql`(${sql.join(either, sql` or `)})`
}

function changedSince({ at, affix }: NonNullable<GroupFilter['updated']>) {
  const changed = sql`coalesce(g.updated_at, g.created_at)`
  return affix === 'append' ? sql`${changed} >= ${at}` : sql`${changed} < ${at}`
}

/** The expression inside a branch, and the name it has outside. */
const orders = {
  name: { inside: sql`g.sort_name`, outside: sql`"sortName"` },
  guid: { inside: sql`g.guid`, outside: sql`guid` },
  createdAt: { inside: sql`g.created_at`, outside: sql`"createdAt"` },
}

export async function listGroups(
  { appId, db }: AppDb,
  filter: GroupFilter,
  order: GroupOrder,
  page: PageRequest & { readonly after: Key | undefined },
): Promise<GroupRow[]> {
  if (filter.types?.length === 0) return []
  const { inside, outside } = orders[order.by]
  const direction = order.descending ? sql`desc` : sql`asc`
  const compare = order.descending ? sql`<` : sql`>`
  const { after, perPage } = page
  const offset = after ? 0 : (page.page - 1) * perPage
  const behind = after ? sql`and (${inside}, g.guid) ${compare} (${after[0]}, ${after[1]})` : sql``
  const tail = sql`
    ${behind} order by ${inside} ${direction}, g.guid ${direction} limit ${offset + perPage}`
  const { rows } = await sql<GroupRow>`
    select * from (${branches(appId, filter, groupColumns, tail)}) as found
    order by ${outside} ${direction}, guid ${direction}
    limit ${perPage} offset ${offset}`.execute(db)
  return rows
}

/** Exact when there are few; otherwise 0: not computed. */
export async function countGroups({ appId, db }: AppDb, filter: GroupFilter): Promise<number> {
  if (filter.types?.length === 0) return 0
  const tail = sql`limit ${countedUpTo + 1}`
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from (${branches(appId, filter, sql`1`, tail)}) as found`.execute(db)
  const counted = rows[0]?.n ?? 0
  return counted <= countedUpTo ? counted : 0
}
