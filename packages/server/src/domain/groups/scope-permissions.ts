import type { Outcome } from '@chorale/contract/envelope'
import type { GroupScope, ScopePermissions, scopePermissions } from '@chorale/contract/groups'
import { paginationOf } from '../../database/keyset.ts'
import { badRequest, Failure } from '../../pipeline/failure.ts'
import type { Handlers, ReadCtx } from '../../pipeline/handler.ts'
import { accessGroup } from './access.ts'
import { findGroup, type GroupFacts } from './groups.sql.ts'
import type { Acting } from './rules.ts'
import {
  findScopePermissions,
  mergeScopePermissions,
  removeScopePermission,
} from './scope-permissions.sql.ts'

export const scopePermissionHandlers: Handlers<typeof scopePermissions> = {
  async listScopePermissions({ params: { guid, scope }, query }, ctx) {
    const group = await findGroup(ctx.db, guid, undefined)
    if (!group) throw new Failure('ERR_GUID_NOT_FOUND', { guid })
    const stored = await findScopePermissions(ctx.db, guid, scope)
    const start = (query.page - 1) * query.perPage
    const rows = [...catalogue].slice(start, start + query.perPage)
    const times = { createdAt: group.createdAt, updatedAt: group.updatedAt ?? group.createdAt }
    return {
      data: rows.map(([id, permission]) => ({
        id,
        type: 'scope',
        title: permission.title,
        description: `${permission.title} (${id}).`,
        dataType: permission.list ? ('stringArray' as const) : ('string' as const),
        availableValues: [...permission.values],
        defaultValue: defaultOf(permission),
        value: stored[id] ?? defaultOf(permission),
        ...times,
      })),
      meta: { pagination: paginationOf(query, rows.length, catalogue.size) },
    }
  },

  async setScopePermissions({ params: { guid, scope }, body }, ctx) {
    await accessGroup(ctx, guid, 'change')
    const { verdicts, accepted } = evaluate(body.permissions)
    const permissions = await mergeScopePermissions(ctx.db, guid, scope, accepted)
    await ctx.outbox.append('group.scopePermissionsSet', { guid, scope, permissions })
    return { data: { ...verdicts, permissions: shown(permissions) } }
  },

  async unsetScopePermission({ params: { guid, scope, permission } }, ctx) {
    await accessGroup(ctx, guid, 'change')
    if (!catalogue.has(permission)) throw badRequest('permission', 'No such permission.')
    const permissions = await removeScopePermission(ctx.db, guid, scope, permission)
    await ctx.outbox.append('group.scopePermissionsSet', { guid, scope, permissions })
    return { data: { permissions: shown(permissions) } }
  },
}

/** Which members someone may list: undefined for all; refused where that is denied. */
export async function listingRights(
  ctx: ReadCtx,
  { guid }: GroupFacts,
  { rank, uid }: Acting,
): Promise<{ scopes?: string[] | undefined; friendsOf?: string | undefined }> {
  const scope: GroupScope = rank === 'owner' ? 'admin' : rank
  const stored = await findScopePermissions(ctx.db, guid, scope)
  if (stored.listMembers === 'deny') {
    throw new Failure('ERR_PERMISSION_DENIED', { what: 'listMembers' })
  }
  const scopes = [stored['listMembers.allowedScopes'] ?? []].flat()
  return {
    scopes: scopes.length > 0 ? scopes : undefined,
    friendsOf: stored.listMembers === 'friends' ? uid : undefined,
  }
}

/** Key by key: a bad permission is reported and does not refuse its neighbours. */
function evaluate(requested: ScopePermissions) {
  const verdicts: Record<string, Outcome> = {}
  const accepted: ScopePermissions = {}
  for (const [key, value] of Object.entries(requested)) {
    const objection = objectionTo(key, value)
    verdicts[key] = { success: !objection, message: objection ?? 'Set.' }
    if (!objection) accepted[key] = catalogue.get(key)?.list ? [value].flat() : value
  }
  return { verdicts, accepted }
}

function objectionTo(key: string, value: string | string[]): string | undefined {
  const permission = catalogue.get(key)
  if (!permission) return 'No such permission.'
  if (!permission.list && Array.isArray(value)) return 'Must be one value, not a list.'
  return [value].flat().every((item) => permission.values.includes(item))
    ? undefined
    : `Use one of: ${permission.values.join(', ')}.`
}

/**
 * The whole map: what is not set has its default. A list of one is shown as its one value, as
 * clients of this interface know it.
 */
function shown(stored: ScopePermissions): ScopePermissions {
  return Object.fromEntries(
    [...catalogue].map(([key, permission]) => {
      const value = stored[key] ?? defaultOf(permission)
      const [only, ...others] = [value].flat()
      return [key, only !== undefined && others.length === 0 ? only : value]
    }),
  )
}

interface Permission {
  readonly title: string
  readonly values: readonly string[]
  readonly list: boolean
}

function defaultOf({ list }: Permission): string | string[] {
  return list ? [] : 'allow'
}

function binary(title: string, ...more: readonly string[]): Permission {
  return { title, values: ['allow', 'deny', ...more], list: false }
}

const scopes = ['admin', 'moderator', 'participant']

/** Every key. A dotted name narrows the permission before the dot. */
const catalogue: ReadonlyMap<string, Permission> = new Map([
  ['sendMessage', binary('Send messages')],
  ['sendThreadedMessage', binary('Reply in threads')],
  ['editMessage', binary('Edit messages')],
  ['addReaction', binary('React to messages')],
  ['listReactions', binary('See reactions')],
  ['listReactions.allowedScopes', { title: 'Whose reactions', values: scopes, list: true }],
  ['listMembers', binary('List members', 'friends')],
  ['listMembers.allowedScopes', { title: 'Which members', values: scopes, list: true }],
  ['initiateCall', binary('Start calls', 'friends')],
  ['initiateCall.allowedScopes', { title: 'Whom to call', values: scopes, list: true }],
  ['initiateCall.allowedType', { title: 'Kinds of call', values: ['audio', 'video'], list: true }],
])
