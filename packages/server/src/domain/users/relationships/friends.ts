import type { ItemOutcome } from '@chorale/contract/envelope'
import type { friends } from '@chorale/contract/users'
import { cursorOf, paginationOf } from '../../../database/keyset.ts'
import { Failure } from '../../../pipeline/failure.ts'
import type { Handlers } from '../../../pipeline/handler.ts'
import { afterOf } from '../../../pipeline/paging.ts'
import { accessUser } from '../access.ts'
import { shown, sortName } from '../user-view.ts'
import { existingUids } from '../users.sql.ts'
import {
  countFriends,
  deleteFriends,
  friendCounts,
  friendsAmong,
  insertFriends,
  listFriends,
} from './friends.sql.ts'

const maxFriends = 1000

export const friendHandlers: Handlers<typeof friends> = {
  async addFriends({ params: { uid }, body }, ctx) {
    const wanted = [...new Set(body.accepted)]
    // Alone and in one order: crossing calls wait for each other, and no limit is passed between
    // counting and adding.
    const existing = await existingUids(ctx.db, [uid, ...wanted], { alone: true })
    if (!existing.has(uid)) throw new Failure('ERR_UID_NOT_FOUND', { uid })
    const already = await friendsAmong(ctx.db, uid, wanted)
    const counts = await friendCounts(ctx.db, [uid, ...wanted])
    const full = (one: string) => (counts.get(one) ?? 0) >= maxFriends
    const accepted: Record<string, ItemOutcome> = {}
    const added: string[] = []
    for (const friend of wanted) {
      const objection = objectionTo(uid, friend, existing, already, full(uid) || full(friend))
      accepted[friend] = objection
        ? { success: false, message: objection.message, error: objection.brief() }
        : { success: true, message: `${friend} is a friend now.` }
      if (objection) continue
      added.push(friend)
      counts.set(uid, (counts.get(uid) ?? 0) + 1)
    }
    await insertFriends(ctx.db, uid, added, ctx.now)
    if (added.length > 0) await ctx.outbox.append('friends.added', { uid, friends: added })
    return { data: { accepted } }
  },

  async listFriends({ params: { uid }, query }, ctx) {
    await accessUser(ctx, uid)
    const searchKey = query.searchKey === undefined ? undefined : sortName(query.searchKey)
    const rows = await listFriends(ctx.db, uid, {
      ...query,
      searchKey,
      after: afterOf(query, ['string', 'string']),
    })
    const total = await countFriends(ctx.db, uid, searchKey)
    const last = rows.at(-1)
    return {
      data: rows.map((row) => shown(row, { viewer: uid })),
      meta: {
        pagination: paginationOf(query, rows.length, total),
        cursor: cursorOf(
          query,
          rows,
          last && { key: [last.sortName, last.uid], updatedAt: last.updatedAt ?? last.createdAt },
        ),
      },
    }
  },

  async removeFriends({ params: { uid }, body }, ctx) {
    await accessUser(ctx, uid)
    const wanted = [...new Set(body.friends)]
    const known = await friendsAmong(ctx.db, uid, wanted)
    const stranger = wanted.find((friend) => !known.has(friend))
    if (stranger) throw new Failure('ERR_NOT_A_FRIEND', { uid: stranger })
    await deleteFriends(ctx.db, uid, wanted)
    await ctx.outbox.append('friends.removed', { uid, friends: wanted })
    return { data: { success: true, message: 'The friends are removed.' } }
  },
}

function objectionTo(
  uid: string,
  friend: string,
  existing: ReadonlySet<string>,
  already: ReadonlySet<string>,
  full: boolean,
): Failure | undefined {
  if (friend === uid) return new Failure('ERR_CANNOT_FORM_SELF_RELATION')
  if (!existing.has(friend)) return new Failure('ERR_UID_NOT_FOUND', { uid: friend })
  if (already.has(friend)) return new Failure('ERR_ALREADY_FRIEND', { uid: friend })
  if (full) {
    return new Failure('ERR_PLAN_QUOTA_RESTRICTION', { limit: maxFriends, what: 'friends' })
  }
  return undefined
}
