import type { receipts } from '@chorale/contract/messages'
import { Failure } from '../../pipeline/failure.ts'
import type { Handlers, ReadCtx } from '../../pipeline/handler.ts'
import { listReceipts } from './receipts.sql.ts'
import { findMembership } from './stored/access.sql.ts'
import { accessMessage } from './stored/access.ts'

/** Whom a message has reached is who is in the group. */
async function requireMayListMembers({ db, actor }: ReadCtx, guid: string): Promise<void> {
  const member = actor && (await findMembership(db, guid, actor.uid))
  if (member?.permissions.listMembers === 'deny') {
    throw new Failure('ERR_PERMISSION_DENIED', { what: 'listMembers in this group' })
  }
}

const maxExamined = 10_000

export const receiptHandlers: Handlers<typeof receipts> = {
  async listReceipts({ params: { id }, query: { limit, uid } }, ctx) {
    const { row, receiver } = await accessMessage(ctx, id, 'read')
    if (receiver.kind === 'group') await requireMayListMembers(ctx, receiver.guid)
    const page = { after: uid ?? '', limit, examine: maxExamined }
    const { rows, upTo } = await listReceipts(ctx.db, row, page)
    const next = rows.length === limit ? rows.at(-1)?.uid : upTo
    return {
      data: rows.map(({ uid, deliveredAt, readAt }) => ({
        messageId: id,
        uid,
        deliveredAt,
        ...(readAt !== null && { readAt }),
      })),
      meta: {
        current: { limit, count: rows.length },
        ...(next !== undefined && { next: { affix: 'append' as const, uid: next } }),
      },
    }
  },
}
