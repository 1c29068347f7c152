import type { GroupScope, ScopePermissions } from '@chorale/contract/groups'
import { sql } from 'kysely'
import { type AppDb, jsonb } from '../../database/app-db.ts'

export async function findScopePermissions(
  { appId, db }: AppDb,
  guid: string,
  scope: GroupScope,
): Promise<ScopePermissions> {
  const { rows } = await sql<{ permissions: ScopePermissions }>`
    select permissions from group_scope_permissions
    where app_id = ${appId} and guid = ${guid} and scope = ${scope}`.execute(db)
  return rows[0]?.permissions ?? {}
}

/** Adds to the stored map. One statement, so that concurrent callers cannot lose a key. */
export async function mergeScopePermissions(
  { appId, db }: AppDb,
  guid: string,
  scope: GroupScope,
  changes: ScopePermissions,
): Promise<ScopePermissions> {
  const { rows } = await sql<{ permissions: ScopePermissions }>`
    insert into group_scope_permissions as stored (app_id, guid, scope, permissions)
    values (${appId}, ${guid}, ${scope}, ${jsonb(changes)})
    on conflict (app_id, guid, scope)
      do update set permissions = stored.permissions || excluded.permissions
    returning permissions`.execute(db)
  return rows[0]?.permissions ?? {}
}

export async function removeScopePermission(
  { appId, db }: AppDb,
  guid: string,
  scope: GroupScope,
  permission: string,
): Promise<ScopePermissions> {
  const { rows } = await sql<{ permissions: ScopePermissions }>`
    update group_scope_permissions set permissions = permissions - ${permission}::text
    where app_id = ${appId} and guid = ${guid} and scope = ${scope}
    returning permissions`.execute(db)
  return rows[0]?.permissions ?? {}
}
