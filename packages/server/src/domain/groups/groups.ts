import type { Group, GroupDetails, GroupType, groups } from '@chorale/contract/groups'
import type { Input } from '@chorale/contract/operation'
import { cursorOf, type Key, paginationOf } from '../../database/keyset.ts'
import { Failure } from '../../pipeline/failure.ts'
import type { Handlers, ReadCtx, WriteCtx } from '../../pipeline/handler.ts'
import { afterOf } from '../../pipeline/paging.ts'
import type { Passwords } from '../../vault/passwords.ts'
import { requireNoHoldOn } from '../holds/index.ts'
import {
  deleteConversation,
  deleteParticipants,
  insertConversation,
} from '../log/participants/index.ts'
import { sortName } from '../users/index.ts'
import { type GroupRow, shownGroup } from '../views/index.ts'
import { accessGroup, actingIn, holdUsers } from './access.ts'
import { type Admission, admitMembers, type Wanted } from './admission.ts'
import {
  countGroups,
  deleteGroup,
  findGroup,
  type GroupFilter,
  insertGroup,
  listGroups,
  updateGroup,
} from './groups.sql.ts'
import { actorUid } from './history.ts'
import { changeOwner } from './ownership.ts'
import { hashPassword } from './passwords.ts'
import {
  allowedTypes,
  requireAdmin,
  requireGroupPermission,
  requireModerator,
  requireOwner,
} from './rules.ts'

type Query = Input<typeof groups.listGroups>['query']

/** Those that may set a password, which is hashed before the transaction. */
type Keyed = 'createGroup' | 'updateGroup'

export function groupHandlers(passwords: Passwords): Handlers<typeof groups, Keyed> {
  return {
    ...unkeyed,
    createGroup: creating(passwords),
    updateGroup: updating(passwords),
  }
}

const creating = (passwords: Passwords): Handlers<typeof groups, Keyed>['createGroup'] => ({
  async prepare({ body }, before) {
    requireGroupPermission(before.actor, 'createGroup', body.type)
    const { members, guid } = body
    // Only the app gives a group to somebody else.
    const owner = (before.caller.kind === 'device' ? undefined : body.owner) ?? actorUid(before)
    const details = await withHash(passwords, before, body)
    return async (ctx) => {
      const outcomes = await addGroup(ctx, details, owner, members)
      if (!outcomes) throw new Failure('ERR_GUID_ALREADY_EXISTS', { guid })
      return { data: { ...(await shown(ctx, guid, owner)), ...(members && outcomes) } }
    }
  },
})

const updating = (passwords: Passwords): Handlers<typeof groups, Keyed>['updateGroup'] => ({
  async prepare({ params: { guid }, body }, before) {
    const { password, unset, owner, ...changes } = body
    const hashed =
      password === undefined ? undefined : await hashOfUpdate(passwords, before, guid, body)
    return async (ctx) => {
      const existing = await holdUsers(ctx, owner === undefined ? [] : [owner])
      const group = await accessGroup(ctx, guid, 'change')
      requireModerator(await actingIn(ctx, group))
      const { type = group.type } = body
      // Who may not make such a group does not make one of another.
      if (type !== group.type) requireGroupPermission(ctx.actor, 'createGroup', type)
      const emptied = (field: 'icon' | 'description') =>
        unset?.includes(field) ? null : body[field]
      await updateGroup(
        ctx.db,
        guid,
        {
          ...changes,
          sortName: body.name === undefined ? undefined : sortName(body.name),
          passwordHash: newPasswordHash(type, hashed, group.passwordHash),
          icon: emptied('icon'),
          description: emptied('description'),
          metadata: unset?.includes('metadata') ? null : body.metadata,
        },
        { uid: actorUid(ctx), at: ctx.now },
      )
      // Only the app hands a group over here; a member's own call is `transferGroupOwnership`.
      if (owner !== undefined && !ctx.actor) await changeOwner(ctx, group, owner, existing)
      await ctx.outbox.append('group.updated', { guid })
      return { data: await shown(ctx, guid, ctx.actor?.uid) }
    }
  },
})

const unkeyed: Handlers<Omit<typeof groups, Keyed>> = {
  async listGroups({ query }, ctx) {
    const { filter, order } = listOf(ctx, query)
    const after = afterOf(query, [order.by === 'createdAt' ? 'number' : 'string', 'string'])
    const rows = await listGroups(ctx.db, filter, order, { ...query, after })
    const total = after ? 0 : await countGroups(ctx.db, filter)
    const last = rows.at(-1)
    return {
      data: rows.map((row) => shownGroup(row, query.withTags)),
      meta: {
        pagination: paginationOf(query, rows.length, total),
        cursor: cursorOf(
          query,
          rows,
          last && { key: keyOf(last, order.by), updatedAt: last.updatedAt ?? last.createdAt },
        ),
      },
    }
  },

  async getGroup({ params: { guid } }, ctx) {
    const row = await findGroup(ctx.db, guid, ctx.actor?.uid)
    // A private group does not exist for those who are not in it.
    const hidden = ctx.actor && row?.type === 'private' && row.joinedAt === null
    if (!row || hidden) throw new Failure('ERR_GUID_NOT_FOUND', { guid })
    return { data: shownGroup(row, true) }
  },

  async deleteGroup({ params: { guid } }, ctx) {
    const group = await accessGroup(ctx, guid, 'change')
    requireAdmin(await actingIn(ctx, group))
    await requireNoHoldOn(ctx, { guid })
    const { bucket, key } = group
    const last = await shown(ctx, guid, undefined)
    await deleteGroup(ctx.db, guid)
    await deleteParticipants(ctx.db, group, 'all')
    await deleteConversation(ctx.db, group)
    await ctx.outbox.append('group.deleted', { guid, bucket, key, group: last })
    return { data: { success: true, message: `The group ${guid} is deleted.` } }
  },

  async transferGroupOwnership({ params: { guid }, body: { owner } }, ctx) {
    const existing = await holdUsers(ctx, [owner])
    const group = await accessGroup(ctx, guid, 'change')
    requireOwner(await actingIn(ctx, group))
    await changeOwner(ctx, group, owner, existing)
    return { data: await shown(ctx, guid, ctx.actor?.uid) }
  },
}

/** As it is stored: with the hash of its password. */
export type HashedGroup = Omit<GroupDetails, 'password'> & { readonly passwordHash: string | null }

/** Before the transaction. */
export async function withHash(
  passwords: Passwords,
  ctx: ReadCtx,
  { password, ...group }: GroupDetails,
): Promise<HashedGroup> {
  return { ...group, passwordHash: await hashPassword(passwords, ctx, group.type, password) }
}

/** What became of its members; undefined: the guid is taken. */
async function addGroup(
  ctx: WriteCtx,
  { createdAt = ctx.now, ...group }: HashedGroup,
  owner: string,
  members: Wanted = {},
): Promise<Admission | undefined> {
  const { guid } = group
  const existing = await holdUsers(ctx, [owner, ...Object.values(members).flat()])
  if (!existing.has(owner)) throw new Failure('ERR_UID_NOT_FOUND', { uid: owner })
  const conversation = await insertConversation(ctx.db, ctx.now)
  const made = await insertGroup(ctx.db, {
    ...group,
    ...conversation,
    owner,
    sortName: sortName(group.name),
    createdAt,
  })
  if (!made) {
    await deleteConversation(ctx.db, conversation)
    return undefined
  }
  // Whom the group belongs to is in it from the start, and says nothing about it.
  const founder = owner === 'app_system' ? undefined : owner
  const key = { ...conversation, guid, owner }
  const outcomes = await admitMembers(ctx, key, { ...members, founder }, existing)
  await ctx.outbox.append('group.created', { guid })
  return outcomes
}

/**
 * A group that is missing is created, if somebody says what it is. Before the transaction; what it
 * returns is done in it.
 */
export async function ensureGroup(
  passwords: Passwords,
  before: ReadCtx,
  guid: string,
  details: GroupDetails | undefined,
): Promise<(ctx: WriteCtx) => Promise<void>> {
  const found = await findGroup(before.db, guid, undefined)
  const made = details && !found && (await withHash(passwords, before, details))
  return async (ctx) => {
    if (await findGroup(ctx.db, guid, undefined)) return
    if (!made) throw new Failure('ERR_GUID_NOT_FOUND', { guid })
    // One that somebody else has created meanwhile is as good.
    await addGroup(ctx, made, made.owner ?? actorUid(ctx))
  }
}

async function shown(ctx: ReadCtx, guid: string, viewer: string | undefined): Promise<Group> {
  const row = await findGroup(ctx.db, guid, viewer)
  if (!row) throw new Failure('ERR_GUID_NOT_FOUND', { guid })
  return shownGroup(row, true)
}

/** Before the transaction, and only for those who may: hashing takes long. */
async function hashOfUpdate(
  passwords: Passwords,
  ctx: ReadCtx,
  guid: string,
  { type, password }: { readonly type?: GroupType; readonly password?: string },
): Promise<string | null> {
  const group = await accessGroup(ctx, guid, 'none')
  requireModerator(await actingIn(ctx, group))
  return hashPassword(passwords, ctx, type ?? group.type, password)
}

/** `undefined`: as it was. A group that stops being a password group forgets its password. */
function newPasswordHash(
  type: GroupType,
  hashed: string | null | undefined,
  old: string | null,
): string | null | undefined {
  if (type !== 'password') return null
  if (hashed) return hashed
  if (old === null) throw new Failure('ERR_EMPTY_GROUP_PASS')
  // Also when it was of another type when the new one was hashed: then it has got this one since.
  return undefined
}

function listOf({ actor }: ReadCtx, query: Query) {
  const may = actor && allowedTypes(actor, 'listGroups')
  const filter: GroupFilter = {
    viewer: actor?.uid,
    search: query.searchKey
      ? {
          text: sortName(query.searchKey),
          inName: query.searchIn?.includes('name') ?? true,
          inGuid: query.searchIn?.includes('guid') ?? true,
        }
      : undefined,
    types: intersection(may, wantedTypes(query)),
    tags: query.tags,
    joinedOnly: (query.hasJoined ?? false) && actor !== undefined,
    updated:
      query.updatedAt === undefined
        ? undefined
        : { at: query.updatedAt, affix: query.affix ?? 'append' },
  }
  return {
    filter,
    order: { by: query.sortBy ?? 'name', descending: query.sortOrder === 'desc' } as const,
  }
}

function wantedTypes({ type, types }: Query): string[] | undefined {
  if (type === undefined && types === undefined) return undefined
  const all = [...(types ?? []), ...(type === undefined ? [] : [type])]
  return all.map((name) => (name === 'protected' ? 'password' : name))
}

function intersection(a: string[] | undefined, b: string[] | undefined): string[] | undefined {
  if (!a || !b) return a ?? b
  return a.filter((item) => b.includes(item))
}

function keyOf(row: GroupRow, by: 'name' | 'guid' | 'createdAt'): Key {
  const first = { name: row.sortName, guid: row.guid, createdAt: row.createdAt }[by]
  return [first, row.guid]
}
