import type { claims } from '@chorale/contract/moderation'
import type { Handlers } from '../../pipeline/handler.ts'
import { RawJson, rawList, rawObject } from '../../pipeline/raw-json.ts'
import { claimCases, countOpenCases, releaseCases } from '../rules/cases/index.ts'
import { holderOf } from './holders.ts'
import { blocked, flagsOf, printCases } from './queues.ts'
import { findCases } from './reviews.sql.ts'

const leaseSeconds = 120

export const claimHandlers: Handlers<typeof claims> = {
  async claimMessages({ body: { limit, kind, messageIds, moderator } }, ctx) {
    const { db, now, caller } = ctx
    const holder = holderOf(caller, moderator)
    const until = now + leaseSeconds
    const ids = await claimCases(
      db,
      { holder, limit, kind, ids: messageIds?.map(Number) },
      now,
      until,
    )
    const cases = await findCases(db, ids)
    const flaggedBy = await flagsOf(ctx, cases)
    const rows = await printCases(ctx, cases, (row) => {
      const { updatedAt: _, ...fields } = blocked(row)
      const { kind: of, status } = row
      const messageId = String(row.messageId)
      return {
        messageId,
        kind: of,
        status,
        ...fields,
        flaggedBy: flaggedBy(row.messageId),
        claimedUntil: until,
      }
    })
    const meta = await countOpenCases(db, holder, now)
    return new RawJson(rawObject({ meta }, { data: rawList(rows) }))
  },

  async releaseMessages({ body: { moderator } }, { db, caller }) {
    const released = await releaseCases(db, holderOf(caller, moderator))
    return { data: { success: true, message: `Given back: ${released}.` } }
  },
}
