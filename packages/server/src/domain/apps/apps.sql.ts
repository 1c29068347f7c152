import type { Region } from '@chorale/contract/apps'
import { sql } from 'kysely'
import { type AppDb, allOf, type InstallDb, startingWith } from '../../database/app-db.ts'
import type { PageRequest } from '../../database/keyset.ts'

export interface AppRow {
  readonly appId: string
  readonly name: string
  readonly region: Region
  readonly createdAt: number
}

export interface ListedApp extends AppRow {
  /** Since when it takes no writes; null: it takes them. */
  readonly heldAt: number | null
}

export async function insertApp({ db }: InstallDb, row: AppRow): Promise<void> {
  await sql`
    insert into apps (app_id, name, region, created_at)
    values (${row.appId}, ${row.name}, ${row.region}, ${row.createdAt})`.execute(db)
}

/** Archived ones keep their ids. */
export async function appExists({ appId, db }: AppDb): Promise<boolean> {
  const { rows } = await sql`select from apps where app_id = ${appId}`.execute(db)
  return rows.length > 0
}

interface AppFilter {
  readonly searchKey?: string
  /** No others; undefined: all. */
  readonly appIds?: readonly string[]
}

function matching({ searchKey, appIds }: AppFilter) {
  const prefix = searchKey && startingWith(searchKey)
  return allOf([
    sql`archived_at is null`,
    appIds && sql`app_id = any(${appIds}::text[])`,
    prefix ? sql`(app_id like ${prefix.toLowerCase()} or name ilike ${prefix})` : undefined,
  ])
}

export async function listApps(
  { db }: InstallDb,
  { page, perPage, ...filter }: PageRequest & AppFilter,
): Promise<{ rows: ListedApp[]; total: number }> {
  const { rows } = await sql<ListedApp>`
    select app_id as "appId", name, region, created_at as "createdAt", held_at as "heldAt" from apps
    where ${matching(filter)} order by app_id
    limit ${perPage} offset ${(page - 1) * perPage}`.execute(db)
  const counted = await sql<{ n: number }>`
    select count(*) as n from apps where ${matching(filter)}`.execute(db)
  return { rows, total: counted.rows[0]?.n ?? 0 }
}

/** Archived: it answers nothing from now on. False when there was none, or already archived. */
export async function archiveApp(
  { appId, db }: AppDb,
  now: number,
  deleteAt: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update apps set archived_at = ${now}, delete_at = ${deleteAt}
    where app_id = ${appId} and archived_at is null`.execute(db)
  return numAffectedRows === 1n
}

/** From now on it takes no writes, or takes them again. False: there is no such app. */
export async function setHeld({ appId, db }: AppDb, heldAt: number | null): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update apps set held_at = ${heldAt}
    where app_id = ${appId} and archived_at is null`.execute(db)
  return numAffectedRows === 1n
}

/** First in the order of locks: makes a count and the insert after it one step. */
export async function lockApp({ appId, db }: AppDb): Promise<void> {
  await sql`select from apps where app_id = ${appId} for no key update`.execute(db)
}

/** In the transaction of the change, so that nobody sees one without the other. */
export async function nextModerationVersion({ appId, db }: AppDb): Promise<void> {
  await sql`
    update apps set moderation_version = moderation_version + 1
    where app_id = ${appId}`.execute(db)
}
