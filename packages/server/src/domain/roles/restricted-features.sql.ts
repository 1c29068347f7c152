import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import type { PageRequest } from '../../database/keyset.ts'

export async function insertRestrictedFeatures(
  { appId, db }: AppDb,
  role: string,
  features: readonly string[],
  now: number,
): Promise<void> {
  await sql`
    insert into role_restricted_features (app_id, role, feature, created_at)
    select ${appId}, ${role}, feature, ${now} from unnest(${features}::text[]) as feature
    order by feature
    on conflict (app_id, role, feature) do nothing`.execute(db)
}

export async function deleteRestrictedFeatures(
  { appId, db }: AppDb,
  role: string,
  features: readonly string[],
): Promise<void> {
  await sql`
    delete from role_restricted_features
    where app_id = ${appId} and role = ${role} and feature = any(${features})`.execute(db)
}

export async function listRestrictedFeatures(
  { appId, db }: AppDb,
  role: string,
  { page, perPage }: PageRequest,
) {
  const { rows } = await sql<{ feature: string; createdAt: number }>`
    select feature, created_at as "createdAt" from role_restricted_features
    where app_id = ${appId} and role = ${role} order by feature
    limit ${perPage} offset ${(page - 1) * perPage}`.execute(db)
  return rows
}

export async function countRestrictedFeatures({ appId, db }: AppDb, role: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from role_restricted_features
    where app_id = ${appId} and role = ${role}`.execute(db)
  return rows[0]?.n ?? 0
}
