import type { Role, roles } from '@chorale/contract/roles'
import type { AppDb } from '../../database/app-db.ts'
import { paginationOf } from '../../database/keyset.ts'
import { badRequest, Failure } from '../../pipeline/failure.ts'
import type { Handlers } from '../../pipeline/handler.ts'
import { lockApp } from '../apps/index.ts'
import {
  countRoles,
  deleteRole,
  findRole,
  insertRole,
  listRoles,
  type RoleRow,
  updateRole,
} from './roles.sql.ts'

const maxRoles = 25
const defaultRole = 'default'

export const roleHandlers: Handlers<typeof roles> = {
  async createRole({ body }, ctx) {
    await lockApp(ctx.db)
    if ((await countRoles(ctx.db)) >= maxRoles) {
      throw new Failure('ERR_PLAN_QUOTA_RESTRICTION', { limit: maxRoles, what: 'roles' })
    }
    const row = await insertRole(ctx.db, { ...body, createdAt: ctx.now })
    if (!row) throw badRequest('role', `The role ${body.role} exists already.`)
    await ctx.outbox.append('role.created', { role: body.role })
    return { data: shown(row) }
  },

  async listRoles({ query }, ctx) {
    const rows = await listRoles(ctx.db, query)
    const pagination = paginationOf(query, rows.length, await countRoles(ctx.db))
    return { data: rows.map(shown), meta: { pagination } }
  },

  async getRole({ params: { role } }, ctx) {
    const row = await findRole(ctx.db, role)
    if (!row) throw new Failure('ERR_ROLE_NOT_FOUND', { role })
    return { data: shown(row) }
  },

  async updateRole({ params: { role }, body }, ctx) {
    const unset = (field: 'settings' | 'description' | 'metadata') =>
      body.unset?.includes(field) ? null : body[field]
    const changes = {
      // An empty name means "leave it": clients of this interface send it by default.
      name: body.name || undefined,
      description: unset('description') as string | null | undefined,
      metadata: unset('metadata') as object | null | undefined,
      settings: unset('settings') as object | null | undefined,
    }
    const row = await updateRole(ctx.db, role, changes, ctx.now)
    if (!row) throw new Failure('ERR_ROLE_NOT_FOUND', { role })
    await ctx.outbox.append('role.updated', { role })
    return { data: shown(row) }
  },

  async deleteRole({ params: { role } }, ctx) {
    if (role === defaultRole) throw new Failure('ERR_ROLE_DELETE_DENIED', { role })
    const deleted = await deleteRole(ctx.db, role)
    if (deleted === undefined) throw new Failure('ERR_ROLE_NOT_FOUND', { role })
    if (!deleted) throw new Failure('ERR_ROLE_DELETE_DENIED', { role })
    await ctx.outbox.append('role.deleted', { role })
    return { data: { success: true, message: `The role ${role} is deleted.` } }
  },
}

export async function seedRoles(db: AppDb, now: number): Promise<void> {
  await insertRole(db, { role: defaultRole, name: 'Default', createdAt: now })
}

function shown({ description, metadata, settings, updatedAt, ...row }: RoleRow): Role {
  return {
    ...row,
    ...(description !== null && { description }),
    ...(metadata !== null && { metadata }),
    ...(settings !== null && { settings }),
    ...(updatedAt !== null && { updatedAt }),
  }
}
