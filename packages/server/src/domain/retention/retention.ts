import type { Retention, RetentionRun, retention } from '@chorale/contract/retention'
import { badRequest, Failure } from '../../pipeline/failure.ts'
import type { Handlers } from '../../pipeline/handler.ts'
import {
  beginRun,
  deleteRule,
  isThere,
  listRules,
  type RetentionRow,
  saveRule,
  type Whose,
} from './retention.sql.ts'
import { listRuns, type RunRow, retentionQueue } from './runs.sql.ts'

export const retentionHandlers: Handlers<typeof retention> = {
  async setRetention({ body: { days, guid, uids } }, ctx) {
    if (guid !== undefined && uids) throw badRequest('guid', 'Name a guid or uids, and not both.')
    if (uids && new Set(uids).size !== 2) throw badRequest('uids', 'Name two users.')
    const whose = whoseOf(guid, uids)
    const isOfApp = guid === undefined && !uids
    if (!isOfApp && !(await isThere(ctx.db, whose))) {
      if (guid !== undefined) throw new Failure('ERR_GUID_NOT_FOUND', { guid })
      throw new Failure('ERR_CONVERSATION_NOT_FOUND', {
        conversationId: `${whose.low}_user_${whose.high}`,
      })
    }
    const row = await saveRule(ctx.db, whose, days, ctx.now)
    await beginRun(ctx.db, ctx.now)
    ctx.outbox.wake(retentionQueue)
    return { data: shown(row) }
  },

  async listRetention({ query: { limit, page } }, ctx) {
    const rows = await listRules(ctx.db, limit, page)
    return { data: rows.map(shown), meta: { current: { limit, count: rows.length } } }
  },

  async deleteRetention({ params: { retentionId } }, ctx) {
    if (!(await deleteRule(ctx.db, retentionId))) {
      throw new Failure('ERR_RETENTION_NOT_FOUND', { retentionId })
    }
    return { data: { success: true, message: `The retention ${retentionId} is deleted.` } }
  },

  async listRetentionRuns({ query: { limit, page } }, ctx) {
    const rows = await listRuns(ctx.db, limit, page)
    return { data: rows.map(shownRun), meta: { current: { limit, count: rows.length } } }
  },
}

function whoseOf(guid: string | undefined, uids: readonly string[] | undefined): Whose {
  if (guid !== undefined) return { guid }
  const [low, high] = [...(uids ?? [])].sort()
  return low === undefined || high === undefined ? {} : { low, high }
}

function shown({
  retentionId,
  days,
  guid,
  low,
  high,
  createdAt,
  updatedAt,
}: RetentionRow): Retention {
  return {
    retentionId,
    days,
    ...(guid !== null && { guid }),
    ...(low !== null && high !== null && { uids: [low, high] }),
    createdAt,
    updatedAt,
  }
}

function shownRun(row: RunRow): RetentionRun {
  const { id, status, startedAt, endedAt, conversations, messages, held, rows } = row
  return {
    runId: id,
    status,
    startedAt,
    ...(endedAt !== null && { endedAt }),
    conversations,
    messages,
    held,
    rows: { ...rows },
  }
}
