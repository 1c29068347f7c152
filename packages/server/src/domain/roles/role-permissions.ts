import type { Outcome } from '@chorale/contract/envelope'
import type {
  PermissionDefinition,
  RolePermissions,
  rolePermissions,
} from '@chorale/contract/roles'
import { paginationOf } from '../../database/keyset.ts'
import { badRequest, Failure } from '../../pipeline/failure.ts'
import type { Handlers } from '../../pipeline/handler.ts'
import { type Permission, permissionCatalogue } from './permission-catalogue.ts'
import { findPermissions, mergePermissions, type RoleWithPermissions } from './roles.sql.ts'

export const rolePermissionHandlers: Handlers<typeof rolePermissions> = {
  async listRolePermissions({ params: { role }, query }, ctx) {
    const found = await findPermissions(ctx.db, role)
    if (!found) throw new Failure('ERR_ROLE_NOT_FOUND', { role })
    const start = (query.page - 1) * query.perPage
    const rows = [...permissionCatalogue].slice(start, start + query.perPage)
    return {
      data: rows.map(([id, permission]) => shown(id, permission, found)),
      meta: { pagination: paginationOf(query, rows.length, permissionCatalogue.size) },
    }
  },

  async setRolePermissions({ params: { role }, body }, ctx) {
    const { outcomes, set, unset } = evaluate(body.permissions)
    const permissions = await mergePermissions(ctx.db, role, { set, unset }, ctx.now)
    if (!permissions) throw new Failure('ERR_ROLE_NOT_FOUND', { role })
    await ctx.outbox.append('role.permissionsSet', { role, permissions })
    return { data: { ...outcomes, permissions } }
  },

  async unsetRolePermission({ params: { role, permission } }, ctx) {
    if (!permissionCatalogue.has(permission)) throw badRequest('permission', 'No such permission.')
    const changes = { set: {}, unset: [permission] }
    const permissions = await mergePermissions(ctx.db, role, changes, ctx.now)
    if (!permissions) throw new Failure('ERR_ROLE_NOT_FOUND', { role })
    await ctx.outbox.append('role.permissionsSet', { role, permissions })
    return { data: { permissions } }
  },
}

/** Key by key: a bad permission is reported and does not refuse its neighbours. */
function evaluate(requested: Readonly<Record<string, string | string[] | null>>) {
  const outcomes: Record<string, Outcome> = {}
  const set: RolePermissions = {}
  const unset: string[] = []
  for (const [key, value] of Object.entries(requested)) {
    const objection = objectionTo(key, value)
    outcomes[key] = { success: !objection, message: objection ?? 'Set.' }
    if (objection) continue
    if (value === null) unset.push(key)
    else set[key] = value
  }
  return { outcomes, set, unset }
}

function objectionTo(key: string, value: string | string[] | null): string | undefined {
  const permission = permissionCatalogue.get(key)
  if (!permission) return 'No such permission.'
  if (value === null) return undefined
  const { dataType, availableValues } = permission
  if (dataType === 'string' && Array.isArray(value)) return 'Must be one value, not a list.'
  if (!availableValues) return undefined
  return [value].flat().every((item) => availableValues.includes(item))
    ? undefined
    : `Use one of: ${availableValues.join(', ')}.`
}

function shown(
  id: string,
  permission: Permission,
  role: RoleWithPermissions,
): PermissionDefinition {
  const { availableValues, title, ...rest } = permission
  return {
    id,
    type: 'role',
    title,
    description: `${title} (${id}).`,
    ...rest,
    ...(availableValues && { availableValues: [...availableValues] }),
    value: role.permissions[id] ?? permission.defaultValue,
    createdAt: role.createdAt,
    updatedAt: role.updatedAt,
  }
}
