import type { LogQuery, NotificationLog, notificationLogs } from '@chorale/contract/notifications'
import type { AppDb } from '../../database/app-db.ts'
import type { Handlers } from '../../pipeline/handler.ts'
import {
  deleteLogSwitch,
  type LogRow,
  listLogs,
  logEnabledAt,
  writeLogSwitch,
} from './notification-logs.sql.ts'

const day = 86_400
/** For how long the log is kept once it was enabled, and for how long a row of it can be read. */
const activeSeconds = 7 * day
const readableSeconds = 14 * day

export const notificationLogHandlers: Handlers<typeof notificationLogs> = {
  async listNotificationLogs({ query }, ctx) {
    const rows = await listLogs(ctx.db, inSeconds(query), ctx.now - readableSeconds)
    const { limit } = query
    return { data: rows.map(shown), meta: metaOf(rows, query, { limit, count: rows.length }) }
  },

  async switchNotificationLogs({ body: { enabled } }, ctx) {
    if (!enabled) {
      await deleteLogSwitch(ctx.db)
      return { data: { enabled } }
    }
    await writeLogSwitch(ctx.db, ctx.now)
    const enabledUntil = ctx.now + activeSeconds
    return { data: { enabled, enabledUntil, readableUntil: ctx.now + readableSeconds } }
  },
}

/** Whether what is done with stays to be read. Where not, only what is still to do is kept. */
export async function keepsLogs(db: AppDb, now: number): Promise<boolean> {
  const enabledAt = await logEnabledAt(db)
  return enabledAt !== undefined && now < enabledAt + activeSeconds
}

const firstInMs = 100_000_000_000

function inSeconds(query: LogQuery): LogQuery {
  const seconds = (time: number) => (time < firstInMs ? time : Math.floor(time / 1000))
  return {
    ...query,
    ...(query.from !== undefined && { from: seconds(query.from) }),
    ...(query.to !== undefined && { to: seconds(query.to) }),
  }
}

function shown({ status, ...row }: LogRow): NotificationLog {
  const present = Object.entries(row).filter(([, value]) => value !== null)
  return {
    // The columns of a row are the fields of the contract; what is null is left out.
    ...(Object.fromEntries(present) as Omit<
      NotificationLog,
      'component' | 'notificationTriggered'
    >),
    component: 'notifications-core',
    notificationTriggered: status !== 'withheld',
    ...(status !== 'waiting' && { success: status === 'sent' }),
  }
}

/** A page that is not full has nothing behind it; what comes later can always be asked for. */
function metaOf(
  rows: readonly LogRow[],
  { messageId, affix, logId }: LogQuery,
  current: { readonly limit: number; readonly count: number },
) {
  const filter = messageId !== undefined && { messageId }
  const first = rows[0]?._id
  const last = rows.at(-1)?._id ?? (affix === 'append' ? logId : undefined)
  const more = affix === 'append' || rows.length === current.limit
  return {
    current,
    ...(first && more && { previous: { affix: 'prepend' as const, logId: first, ...filter } }),
    ...(last && { next: { affix: 'append' as const, logId: last, ...filter } }),
  }
}
