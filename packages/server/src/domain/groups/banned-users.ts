import type { bannedUsers } from '@chorale/contract/groups'
import { cursorOf, paginationOf } from '../../database/keyset.ts'
import { Failure } from '../../pipeline/failure.ts'
import type { Handlers } from '../../pipeline/handler.ts'
import { afterOf } from '../../pipeline/paging.ts'
import { findUsers, requireUser, shownUser, sortName } from '../users/index.ts'
import { accessGroup, actingIn, holdUsers } from './access.ts'
import { ban } from './admission.ts'
import { countBans, deleteBan, listBans } from './bans.sql.ts'
import { record } from './history.ts'
import { findMembers } from './members.sql.ts'
import { rankOf, requireClearanceOver, requireModerator } from './rules.ts'

export const bannedUserHandlers: Handlers<typeof bannedUsers> = {
  async banUser({ params: { guid, uid } }, ctx) {
    const existing = await holdUsers(ctx, [uid])
    const group = await accessGroup(ctx, guid, 'share')
    const acting = await actingIn(ctx, group)
    if (!existing.has(uid)) throw new Failure('ERR_UID_NOT_FOUND', { uid })
    const member = (await findMembers(ctx.db, guid, [uid], true)).get(uid)
    const rank = uid === group.owner ? 'owner' : member && rankOf(member.scope, uid, group.owner)
    requireClearanceOver(acting, uid, rank)
    await ban(ctx, group, uid, member !== undefined)
    return { data: { success: true, message: `${uid} is banned from ${guid}.` } }
  },

  async unbanUser({ params: { guid, uid } }, ctx) {
    const group = await accessGroup(ctx, guid, 'share')
    requireModerator(await actingIn(ctx, group))
    await requireUser(ctx, uid)
    if (!(await deleteBan(ctx.db, guid, uid))) {
      throw new Failure('ERR_NOT_A_BANNED_USER', { uid, guid })
    }
    await record(ctx, group, { action: 'unbanned', on: uid })
    return { data: { success: true, message: `${uid} may join ${guid} again.` } }
  },

  async listBannedUsers({ params: { guid }, query }, ctx) {
    const group = await accessGroup(ctx, guid, 'none')
    requireModerator(await actingIn(ctx, group))
    const searchKey = query.searchKey === undefined ? undefined : sortName(query.searchKey)
    const page = { ...query, after: afterOf(query, ['string']) }
    const uids = await listBans(ctx.db, guid, searchKey, page)
    const viewer = ctx.actor?.uid
    const users = await findUsers(ctx.db, uids, viewer)
    const rows = users.toSorted((a, b) => (a.uid < b.uid ? -1 : 1))
    const last = rows.at(-1)
    return {
      data: rows.map((row) => shownUser(row, { viewer })),
      meta: {
        pagination: paginationOf(query, rows.length, await countBans(ctx.db, guid, searchKey)),
        cursor: cursorOf(
          query,
          rows,
          last && { key: [last.uid], updatedAt: last.updatedAt ?? last.createdAt },
        ),
      },
    }
  },
}
