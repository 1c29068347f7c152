import type { receipts } from '@chorale/contract/messages'
import type { Handlers } from '../../pipeline/handler.ts'
import { accessMessage } from './access.ts'
import { listReceipts } from './receipts.sql.ts'

const mostExamined = 10_000

export const receiptHandlers: Handlers<typeof receipts> = {
  async listReceipts({ params: { id }, query: { limit, uid } }, ctx) {
    const { row } = await accessMessage(ctx, id, 'read')
    const page = { after: uid ?? '', limit, examine: mostExamined }
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
