import type { Role, RolePermissions } from '@chorale/contract/roles'
import { sql } from 'kysely'
import { type AppDb, jsonb } from '../../database/app-db.ts'
import type { PageRequest } from '../../database/keyset.ts'

export type RoleRow = {
  readonly [K in keyof Role]-?: undefined extends Role[K]
    ? Exclude<Role[K], undefined> | null
    : Role[K]
}

const columns = sql`
  role, name, description, metadata, settings, created_at as "createdAt", updated_at as "updatedAt"`

/** Undefined when the role exists already. */
export async function insertRole({ appId, db }: AppDb, role: Role): Promise<RoleRow | undefined> {
  const { rows } = await sql<RoleRow>`
    insert into roles (app_id, role, name, description, metadata, settings, created_at)
    values (${appId}, ${role.role}, ${role.name}, ${role.description ?? null},
            ${jsonb(role.metadata)}, ${jsonb(role.settings)}, ${role.createdAt})
    on conflict (app_id, role) do nothing
    returning ${columns}`.execute(db)
  return rows[0]
}

export async function findRole({ appId, db }: AppDb, role: string): Promise<RoleRow | undefined> {
  const { rows } = await sql<RoleRow>`
    select ${columns} from roles where app_id = ${appId} and role = ${role}`.execute(db)
  return rows[0]
}

export async function listRoles({ appId, db }: AppDb, { page, perPage }: PageRequest) {
  const { rows } = await sql<RoleRow>`
    select ${columns} from roles where app_id = ${appId} order by role
    limit ${perPage} offset ${(page - 1) * perPage}`.execute(db)
  return rows
}

export async function countRoles({ appId, db }: AppDb): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from roles where app_id = ${appId}`.execute(db)
  return rows[0]?.n ?? 0
}

/** `undefined` leaves a column as it is, `null` empties it. */
export interface RoleChanges {
  readonly name: string | undefined
  readonly description: string | null | undefined
  readonly metadata: object | null | undefined
  readonly settings: object | null | undefined
}

export async function updateRole(
  { appId, db }: AppDb,
  role: string,
  changes: RoleChanges,
  now: number,
): Promise<RoleRow | undefined> {
  const changed = sql.join([
    sql`updated_at = ${now}`,
    ...(changes.name === undefined ? [] : [sql`name = ${changes.name}`]),
    ...(changes.description === undefined ? [] : [sql`description = ${changes.description}`]),
    ...(changes.metadata === undefined ? [] : [sql`metadata = ${jsonbOrNull(changes.metadata)}`]),
    ...(changes.settings === undefined ? [] : [sql`settings = ${jsonbOrNull(changes.settings)}`]),
  ])
  const { rows } = await sql<RoleRow>`
    update roles set ${changed} where app_id = ${appId} and role = ${role}
    returning ${columns}`.execute(db)
  return rows[0]
}

function jsonbOrNull(value: object | null) {
  return jsonb(value ?? undefined)
}

/** Undefined: no such role. False: users have it still. */
export async function deleteRole({ appId, db }: AppDb, role: string): Promise<boolean | undefined> {
  const found = await sql`
    select from roles where app_id = ${appId} and role = ${role} for update`.execute(db)
  if (found.rows.length === 0) return undefined
  // Looked up after the lock: a user who was given the role while we waited is seen.
  const users = await sql`
    select from users where app_id = ${appId} and role = ${role} limit 1`.execute(db)
  if (users.rows.length > 0) return false
  await sql`delete from roles where app_id = ${appId} and role = ${role}`.execute(db)
  return true
}

/** Held until the transaction ends, so that the role cannot be deleted under a new user. */
export async function roleExists({ appId, db }: AppDb, role: string): Promise<boolean> {
  const { rows } = await sql`
    select from roles where app_id = ${appId} and role = ${role} for key share`.execute(db)
  return rows.length > 0
}

export interface RoleWithPermissions {
  readonly permissions: RolePermissions
  readonly createdAt: number
  readonly updatedAt: number
}

export async function findPermissions({ appId, db }: AppDb, role: string) {
  const { rows } = await sql<RoleWithPermissions>`
    select permissions, created_at as "createdAt", coalesce(updated_at, created_at) as "updatedAt"
    from roles where app_id = ${appId} and role = ${role}`.execute(db)
  return rows[0]
}

/** Adds and takes away in one statement, so that concurrent callers cannot lose a key. */
export async function mergePermissions(
  { appId, db }: AppDb,
  role: string,
  changes: { set: RolePermissions; unset: readonly string[] },
  now: number,
): Promise<RolePermissions | undefined> {
  const { rows } = await sql<{ permissions: RolePermissions }>`
    update roles
    set permissions = (permissions || ${jsonb(changes.set)}) - ${changes.unset}::text[], updated_at = ${now}
    where app_id = ${appId} and role = ${role}
    returning permissions`.execute(db)
  return rows[0]?.permissions
}
