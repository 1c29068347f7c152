import type { Member, members } from '@chorale/contract/groups'
import { cursorOf, paginationOf } from '../../database/keyset.ts'
import { badRequest, Failure } from '../../pipeline/failure.ts'
import type { Handlers, ReadCtx, WriteCtx } from '../../pipeline/handler.ts'
import { afterOf } from '../../pipeline/paging.ts'
import type { Passwords } from '../../vault/passwords.ts'
import { findUsers, shownUser, sortName } from '../users/index.ts'
import { accessGroup, actingIn, holdUsers } from './access.ts'
import { admitMembers } from './admission.ts'
import { bannedAmong } from './bans.sql.ts'
import type { GroupFacts } from './groups.sql.ts'
import { actorUid, record, recordArrivals, recordDeparture } from './history.ts'
import {
  deleteMember,
  findMembers,
  insertMembers,
  listMembers,
  type Membership,
  updateScope,
} from './members.sql.ts'
import { checkPassword } from './passwords.ts'
import {
  rankOf,
  requireAdmin,
  requireClearanceOver,
  requireFeature,
  requireGroupPermission,
  requireScopeClearance,
} from './rules.ts'
import { listingRights } from './scope-permissions.ts'

/** Joining may take a password, which is checked before the transaction. */
type Keyed = 'addMembers'

export function memberHandlers(passwords: Passwords): Handlers<typeof members, Keyed> {
  return {
    ...unkeyed,
    addMembers: adding(passwords),
  }
}

const adding = (passwords: Passwords): Handlers<typeof members, Keyed>['addMembers'] => ({
  async prepare({ params: { guid }, body }, before) {
    const { password, ...lists } = body
    const joins = Object.keys(lists).length === 0
    const verified = joins ? await mayEnter(passwords, before, guid, password) : undefined
    return async (ctx) => {
      const existing = await holdUsers(ctx, joins ? [actorUid(ctx)] : Object.values(lists).flat())
      const group = await accessGroup(ctx, guid, 'share')
      if (joins) return { data: await join(ctx, group, verified, existing) }
      requireFeature(ctx.actor, 'addMember')
      requireAdmin(await actingIn(ctx, group))
      return { data: await admitMembers(ctx, group, lists, existing) }
    }
  },
})

const unkeyed: Handlers<Omit<typeof members, Keyed>> = {
  async leaveGroup({ params: { guid } }, ctx) {
    const group = await accessGroup(ctx, guid, 'share')
    const uid = actorUid(ctx)
    await actingIn(ctx, group)
    if (uid === group.owner) {
      const what = 'The owner hands the group over before leaving it.'
      throw new Failure('ERR_GROUP_NO_CLEARANCE', { what })
    }
    if (!(await deleteMember(ctx.db, guid, uid))) {
      throw new Failure('ERR_GROUP_NOT_JOINED', { uid, guid })
    }
    await recordDeparture(ctx, group, { action: 'left' }, uid)
    return { data: { success: true, message: `${uid} has left ${guid}.` } }
  },

  async listMembers({ params: { guid }, query }, ctx) {
    const group = await accessGroup(ctx, guid, 'none')
    const acting = await actingIn(ctx, group)
    const may = acting ? await listingRights(ctx, group, acting) : {}
    const filter = {
      status: query.status,
      scopes: intersection(may.scopes, query.scopes),
      friendsOf: may.friendsOf,
      searchKey: query.searchKey === undefined ? undefined : sortName(query.searchKey),
    }
    const rows = await listMembers(ctx.db, guid, filter, {
      ...query,
      after: afterOf(query, ['string']),
    })
    const data = await shown(ctx, rows)
    const last = data.at(-1)
    return {
      data,
      meta: {
        pagination: paginationOf(query, rows.length, 0),
        cursor: cursorOf(
          query,
          rows,
          last && { key: [last.uid], updatedAt: last.updatedAt ?? last.createdAt },
        ),
      },
    }
  },

  async changeMemberScope({ params: { guid, uid }, body: { scope } }, ctx) {
    const group = await accessGroup(ctx, guid, 'share')
    const acting = await actingIn(ctx, group)
    const member = await accessMember(ctx, group, uid)
    requireScopeClearance(acting, uid, rankOf(member.scope, uid, group.owner), scope)
    if (member.scope === scope) throw new Failure('ERR_SAME_SCOPE', { uid, scope })
    await updateScope(ctx.db, guid, uid, scope)
    const change = { oldScope: member.scope, newScope: scope }
    await record(ctx, group, { action: 'scopeChanged', on: uid, ...change })
    return { data: { guid, uid, scope, joinedAt: member.joinedAt } }
  },

  async kickMember({ params: { guid, uid } }, ctx) {
    const group = await accessGroup(ctx, guid, 'share')
    const acting = await actingIn(ctx, group)
    const member = await accessMember(ctx, group, uid)
    requireClearanceOver(acting, uid, rankOf(member.scope, uid, group.owner))
    await deleteMember(ctx.db, guid, uid)
    await recordDeparture(ctx, group, { action: 'kicked', on: uid }, uid)
    return { data: { success: true, message: `${uid} is kicked out of ${guid}.` } }
  },
}

/** The hash that a password was right for; undefined: the group asks for none. */
async function mayEnter(
  passwords: Passwords,
  ctx: ReadCtx,
  guid: string,
  password: string | undefined,
): Promise<string | undefined> {
  const group = await accessGroup(ctx, guid, 'none')
  const uid = await requireMayJoin(ctx, group)
  if (group.type !== 'password') return undefined
  await checkPassword(passwords, ctx, group, uid, password)
  return group.passwordHash ?? undefined
}

/** All but the password. */
async function requireMayJoin(ctx: ReadCtx, { guid, type }: GroupFacts): Promise<string> {
  if (!ctx.actor)
    throw badRequest('body', 'Name users in admins, moderators, participants or usersToBan.')
  requireFeature(ctx.actor, 'joinGroup')
  requireGroupPermission(ctx.actor, 'joinGroup', type)
  const { uid } = ctx.actor
  if ((await bannedAmong(ctx.db, guid, [uid])).has(uid)) {
    throw new Failure('ERR_BANNED_GROUPMEMBER', { uid, guid })
  }
  if (type === 'private') throw new Failure('ERR_GROUP_JOIN_NOT_ALLOWED', { guid })
  return uid
}

async function join(
  ctx: WriteCtx,
  group: GroupFacts,
  verified: string | undefined,
  existing: ReadonlySet<string>,
) {
  const { guid } = group
  const uid = await requireMayJoin(ctx, group)
  if (!existing.has(uid)) throw new Failure('ERR_UID_NOT_FOUND', { uid })
  // It has another password by now, or one for the first time.
  if (group.type === 'password' && group.passwordHash !== verified) {
    throw new Failure('ERR_WRONG_GROUP_PASS')
  }
  const added = await insertMembers(ctx.db, guid, [{ uid, scope: 'participant' }], ctx.now)
  if (!added.has(uid)) throw new Failure('ERR_ALREADY_JOINED', { uid, guid })
  const [data] = await recordArrivals(ctx, group, [{ action: 'joined' }], [uid])
  return { participants: { [uid]: { success: true, ...(data && { data }) } } }
}

async function accessMember(ctx: WriteCtx, { guid }: GroupFacts, uid: string): Promise<Membership> {
  const member = (await findMembers(ctx.db, guid, [uid], true)).get(uid)
  if (!member) throw new Failure('ERR_NOT_A_MEMBER', { uid, guid })
  return member
}

async function shown(ctx: ReadCtx, rows: readonly Membership[]): Promise<Member[]> {
  const viewer = ctx.actor?.uid
  const users = await findUsers(
    ctx.db,
    rows.map(({ uid }) => uid),
    viewer,
  )
  const userOf = new Map(users.map((user) => [user.uid, user]))
  return rows.flatMap(({ uid, scope, joinedAt }) => {
    const user = userOf.get(uid)
    return user ? [{ ...shownUser(user, { viewer }), scope, joinedAt }] : []
  })
}

function intersection(a: readonly string[] | undefined, b: readonly string[] | undefined) {
  if (!a || !b) return a ?? b
  return a.filter((item) => b.includes(item))
}
