import type { Hold, holds } from '@chorale/contract/holds'
import { badRequest, Failure } from '../../pipeline/failure.ts'
import type { Handlers, ReadCtx } from '../../pipeline/handler.ts'
import {
  deleteHold,
  exists,
  type HoldRow,
  heldInGroup,
  heldUserAround,
  insertHold,
  listHolds,
} from './holds.sql.ts'

export const holdHandlers: Handlers<typeof holds> = {
  async createHold({ body }, ctx) {
    const { uid, guid } = body
    if ((uid === undefined) === (guid === undefined)) {
      throw badRequest('uid', 'Name a uid or a guid, and not both.')
    }
    if (!(await exists(ctx.db, body))) {
      if (uid !== undefined) throw new Failure('ERR_UID_NOT_FOUND', { uid })
      throw new Failure('ERR_GUID_NOT_FOUND', { guid: guid ?? '' })
    }
    return { data: shown(await insertHold(ctx.db, body, ctx.now)) }
  },

  async listHolds({ query: { limit, page } }, ctx) {
    const rows = await listHolds(ctx.db, limit, page)
    return { data: rows.map(shown), meta: { current: { limit, count: rows.length } } }
  },

  async releaseHold({ params: { holdId } }, ctx) {
    if (!(await deleteHold(ctx.db, holdId))) throw new Failure('ERR_HOLD_NOT_FOUND', { holdId })
    return { data: { success: true, message: `The hold ${holdId} is released.` } }
  },
}

/** Of a user also those over whom they have conversations with: these would be erased with the user. */
export async function requireNoHoldOn(
  { db }: Pick<ReadCtx, 'db'>,
  on: { readonly uid: string } | { readonly guid: string },
): Promise<void> {
  const what = 'uid' in on ? await heldUserAround(db, on.uid) : await heldInGroup(db, on.guid)
  if (what) throw new Failure('ERR_UNDER_HOLD', { what })
}

function shown({ holdId, uid, guid, reason, createdAt }: HoldRow): Hold {
  return {
    holdId,
    ...(uid !== null && { uid }),
    ...(guid !== null && { guid }),
    reason,
    createdAt,
  }
}
