import type { ApiKeyScope } from '@chorale/contract/apps'
import { sql } from 'kysely'
import { type AppDb, allOf, startingWith } from '../../../database/app-db.ts'
import type { PageRequest } from '../../../database/keyset.ts'

export interface ApiKeyRow {
  readonly keyHash: Buffer
  readonly keyEncrypted: Buffer
  readonly name: string
  readonly scope: ApiKeyScope
  readonly createdBy: string
  readonly createdAt: number
}

const columns = sql`
  key_hash as "keyHash", key_encrypted as "keyEncrypted", name, scope, created_by as "createdBy",
  created_at as "createdAt"`

export async function insertApiKey({ appId, db }: AppDb, row: ApiKeyRow): Promise<void> {
  await sql`
    insert into api_keys (app_id, key_hash, key_encrypted, name, scope, created_by, created_at)
    values (${appId}, ${row.keyHash}, ${row.keyEncrypted}, ${row.name}, ${row.scope},
            ${row.createdBy}, ${row.createdAt})`.execute(db)
}

export async function findApiKey({ appId, db }: AppDb, keyHash: Buffer) {
  const { rows } = await sql<ApiKeyRow>`
    select ${columns} from api_keys where app_id = ${appId} and key_hash = ${keyHash}`.execute(db)
  return rows[0]
}

interface KeyFilter {
  readonly scope?: ApiKeyScope
  readonly searchKey?: string
}

function matching(appId: string, { scope, searchKey }: KeyFilter) {
  return allOf([
    sql`app_id = ${appId}`,
    scope && sql`scope = ${scope}`,
    searchKey ? sql`name ilike ${startingWith(searchKey)}` : undefined,
  ])
}

export async function listApiKeys(
  { appId, db }: AppDb,
  filter: KeyFilter & PageRequest,
): Promise<ApiKeyRow[]> {
  const { rows } = await sql<ApiKeyRow>`
    select ${columns} from api_keys where ${matching(appId, filter)}
    order by created_at, key_hash
    limit ${filter.perPage} offset ${(filter.page - 1) * filter.perPage}`.execute(db)
  return rows
}

export async function countApiKeys({ appId, db }: AppDb, filter: KeyFilter): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from api_keys where ${matching(appId, filter)}`.execute(db)
  return rows[0]?.n ?? 0
}

/** Another key of the app than this one. */
export async function isKeyNameTaken(
  { appId, db }: AppDb,
  name: string,
  than: Buffer | undefined,
): Promise<boolean> {
  const { rows } = await sql`
    select from api_keys where app_id = ${appId} and name = ${name}
      and key_hash is distinct from ${than ?? null} limit 1`.execute(db)
  return rows.length > 0
}

export async function updateApiKey(
  { appId, db }: AppDb,
  keyHash: Buffer,
  changes: { name?: string; scope?: ApiKeyScope },
) {
  const { rows } = await sql<ApiKeyRow>`
    update api_keys
    set name = coalesce(${changes.name ?? null}, name), scope = coalesce(${changes.scope ?? null}, scope)
    where app_id = ${appId} and key_hash = ${keyHash}
    returning ${columns}`.execute(db)
  return rows[0]
}

export async function deleteApiKey({ appId, db }: AppDb, keyHash: Buffer): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from api_keys where app_id = ${appId} and key_hash = ${keyHash}`.execute(db)
  return numAffectedRows === 1n
}
