import type { ItemOutcome } from '@chorale/contract/envelope'
import type { blockedUsers } from '@chorale/contract/users'
import { cursorOf, paginationOf } from '../../../database/keyset.ts'
import type { AppTransaction } from '../../../outbox/unit-of-work.ts'
import { Failure } from '../../../pipeline/failure.ts'
import type { Handlers } from '../../../pipeline/handler.ts'
import { afterOf } from '../../../pipeline/paging.ts'
import { accessUser } from '../access.ts'
import { shown, sortName } from '../user-view.ts'
import { existingUids } from '../users.sql.ts'
import {
  blockedAmong,
  countBlockedUsers,
  deleteBlocks,
  insertBlocks,
  listBlockedUsers,
} from './blocked-users.sql.ts'

export const blockedUserHandlers: Handlers<typeof blockedUsers> = {
  async blockUsers({ params: { uid }, body }, ctx) {
    const wanted = [...new Set(body.blockedUids)]
    const existing = await existingUids(ctx.db, [uid, ...wanted])
    if (!existing.has(uid)) throw new Failure('ERR_UID_NOT_FOUND', { uid })
    const outcomes = eachOf(wanted, (other) => objectionTo(uid, other, existing), 'is blocked')
    const allowed = wanted.filter((other) => outcomes[other]?.success)
    const blocked = await insertBlocks(ctx.db, uid, allowed, ctx.now)
    const blockedUids = allowed.filter((other) => blocked.has(other))
    if (blockedUids.length > 0) await ctx.outbox.append('user.blocked', { uid, blockedUids })
    return { data: outcomes }
  },

  async unblockUsers({ params: { uid }, body }, ctx) {
    await accessUser(ctx, uid)
    const wanted = [...new Set(body.blockedUids)]
    const blocked = await blockedAmong(ctx.db, uid, wanted)
    const outcomes: Record<string, ItemOutcome> = {}
    for (const other of wanted) {
      outcomes[other] = blocked.has(other)
        ? { success: true, message: `${other} is unblocked.` }
        : { success: false, message: `${other} was not blocked.` }
    }
    await deleteBlocks(ctx.db, uid, [...blocked])
    if (blocked.size > 0)
      await ctx.outbox.append('user.unblocked', { uid, blockedUids: [...blocked] })
    return { data: outcomes }
  },

  async listBlockedUsers({ params: { uid }, query }, ctx) {
    await accessUser(ctx, uid)
    const after = afterOf(query, ['string'])
    const filter = { ...query, searchKey: query.searchKey && sortName(query.searchKey) }
    const rows = await listBlockedUsers(ctx.db, uid, { ...filter, after })
    const total = after === undefined ? await countBlockedUsers(ctx.db, uid, filter) : 0
    const last = rows.at(-1)
    return {
      data: rows.map((row) => shown(row, { viewer: uid })),
      meta: {
        pagination: paginationOf(query, rows.length, total),
        cursor: cursorOf(
          query,
          rows,
          last && { key: [last.uid], updatedAt: last.updatedAt ?? last.createdAt },
        ),
      },
    }
  },
}

/** Done for somebody by a rule. */
export async function blockFor(
  { db, outbox, now }: AppTransaction,
  uid: string,
  other: string,
): Promise<void> {
  const existing = await existingUids(db, [uid, other])
  if (existing.size < 2) return
  const blocked = await insertBlocks(db, uid, [other], now)
  if (blocked.size > 0) await outbox.append('user.blocked', { uid, blockedUids: [other] })
}

function eachOf(
  uids: readonly string[],
  objection: (uid: string) => Failure | undefined,
  done: string,
): Record<string, ItemOutcome> {
  return Object.fromEntries(
    uids.map((uid) => {
      const failure = objection(uid)
      return [
        uid,
        failure
          ? { success: false, message: failure.message, error: failure.brief() }
          : { success: true, message: `${uid} ${done}.` },
      ]
    }),
  )
}

function objectionTo(
  uid: string,
  other: string,
  existing: ReadonlySet<string>,
): Failure | undefined {
  if (other === uid) return new Failure('ERR_CANNOT_BLOCK_SELF')
  return existing.has(other) ? undefined : new Failure('ERR_UID_NOT_FOUND', { uid: other })
}
