import { randomBytes } from 'node:crypto'
import type { Erasure, erasures } from '@chorale/contract/erasures'
import { badRequest, Failure } from '../../pipeline/failure.ts'
import type { Handlers } from '../../pipeline/handler.ts'
import { requireNoHoldOn } from '../holds/index.ts'
import { deleteForever, type UserDeletion } from '../users/deletion/index.ts'
import { existingUids, systemUid } from '../users/index.ts'
import {
  type ErasureRow,
  findErasure,
  insertErasure,
  listErasures,
  userErasureQueue,
} from './erasures.sql.ts'

export const erasureHandlers = (deletion: UserDeletion): Handlers<typeof erasures> => ({
  async eraseUser({ body: { uid } }, ctx) {
    if (uid === systemUid) throw badRequest('uid', `${systemUid} is the app itself and stays.`)
    const isThere = (await existingUids(ctx.db, [uid])).has(uid)
    if (isThere) await deleteForever(ctx, deletion, uid)
    else await requireNoHoldOn(ctx, { uid })
    const pseudonym = `erased-${randomBytes(8).toString('hex')}`
    const row = await insertErasure(ctx.db, { uid, pseudonym }, ctx.now)
    ctx.outbox.wake(userErasureQueue)
    return { data: shown(row) }
  },

  async getErasure({ params: { erasureId } }, ctx) {
    const row = await findErasure(ctx.db, erasureId)
    if (!row) throw new Failure('ERR_ERASURE_NOT_FOUND', { erasureId })
    return { data: shown(row) }
  },

  async listErasures({ query: { limit, page } }, ctx) {
    const rows = await listErasures(ctx.db, limit, page)
    return { data: rows.map(shown), meta: { current: { limit, count: rows.length } } }
  },
})

function shown(row: ErasureRow): Erasure {
  const { id, uid, pseudonym, status, requestedAt, endedAt, eventsKeptUntil, held } = row
  const { scanned, table, messages, mentions, reactions, rows } = row
  return {
    erasureId: id,
    uid,
    pseudonym,
    status,
    requestedAt,
    ...(endedAt !== null && { endedAt }),
    progress: { scanned, ...(table !== null && { table }) },
    erased: { messages, mentions, reactions, rows: { ...rows } },
    held,
    ...(eventsKeptUntil !== null && { eventsKeptUntil }),
  }
}
