import type { reasons } from '@chorale/contract/moderation'
import { Failure } from '../../pipeline/failure.ts'
import type { Handlers } from '../../pipeline/handler.ts'
import { lockApp } from '../apps/index.ts'
import { pageOf } from '../rules/lists/index.ts'
import { defaultReasons } from './default-reasons.ts'
import { deleteReason, findReasons, insertReason, updateReason } from './reasons.sql.ts'

const maxReasons = 25

export const reasonHandlers: Handlers<typeof reasons> = {
  async listReasons({ query }, ctx) {
    const all = [...defaultReasons.values(), ...(await findReasons(ctx.db))]
    return pageOf(all, query, ({ createdAt, updatedAt, ...reason }) => ({
      ...reason,
      createdAt: String(createdAt),
      updatedAt: String(updatedAt),
      ...(defaultReasons.has(reason.id) && { default: true }),
    }))
  },

  async createReason({ body: { id, name, description = '' } }, ctx) {
    await lockApp(ctx.db)
    const own = await findReasons(ctx.db)
    if (defaultReasons.has(id) || own.some((reason) => reason.id === id)) {
      throw new Failure('ERR_REASON_ALREADY_EXISTS', { id })
    }
    if (own.length >= maxReasons) {
      throw new Failure('ERR_PLAN_QUOTA_RESTRICTION', { limit: maxReasons, what: 'reasons' })
    }
    const data = { id, name, description, createdAt: ctx.now, updatedAt: ctx.now }
    await insertReason(ctx.db, data)
    await ctx.outbox.append('reason.saved', { reasonId: id })
    return { data }
  },

  async updateReason({ params: { id }, body }, ctx) {
    refuseDefault(id)
    const data = await updateReason(ctx.db, id, body, ctx.now)
    if (!data) throw new Failure('ERR_REASON_NOT_FOUND', { id })
    await ctx.outbox.append('reason.saved', { reasonId: id })
    return { data }
  },

  async deleteReason({ params: { id } }, ctx) {
    refuseDefault(id)
    if (!(await deleteReason(ctx.db, id))) throw new Failure('ERR_REASON_NOT_FOUND', { id })
    await ctx.outbox.append('reason.deleted', { reasonId: id })
    return { data: { success: true, message: `The reason ${id} is deleted.` } }
  },
}

function refuseDefault(id: string): void {
  if (!defaultReasons.has(id)) return
  throw new Failure('ERR_OPERATION_FAILED', { what: 'Make a reason of your own.' })
}
