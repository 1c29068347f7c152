import type { stats } from '@chorale/contract/stats'
import { badRequest } from '../../pipeline/failure.ts'
import type { Handlers, ReadCtx } from '../../pipeline/handler.ts'
import { type Counts, countActiveUsers, findPeak, findPoints, type Range } from './stats.sql.ts'

const day = 86_400
/** The longest report, in points. */
const maxPoints = { 300: day / 300, 3600: 31 * 24, [day]: 3660 } as const
const maxDays = 92

export const statsHandlers: Handlers<typeof stats> = {
  async getStats({ query: { fromDate, toDate } }, ctx) {
    const range = { from: seconds(fromDate), to: seconds(toDate) }
    requireRange(range, 'toDate', maxDays * day)
    return {
      data: {
        metrics: {
          audio_minutes: 0,
          video_minutes: 0,
          recorded_minutes: 0,
          active_users: await countActiveUsers(ctx.db, range),
          concurrent_users: await findPeak(ctx.db, range),
        },
        time_range: { fromDate: range.from * 1000, toDate: range.to * 1000 },
      },
    }
  },

  async getMessageStats({ query: { startTime, endTime, interval = 300 } }, ctx) {
    const range = rangeOf(ctx.now, interval, startTime, endTime)
    requireRange(range, 'endTime', maxPoints[interval] * interval)
    const found = new Map(
      (await findPoints(ctx.db, interval, range)).map((counts) => [counts.startsAt, counts]),
    )
    const dataPoints = []
    for (let at = range.from; at < range.to; at += interval) {
      dataPoints.push({ ...shown(found.get(at)), ...timesOf({ from: at, to: at + interval }) })
    }
    return { data: { ...timesOf(range), dataPoints, appId: ctx.app.appId } }
  },

  async getAppUsage({ body: { usePreviousBillingCycle = false } }, ctx) {
    const range = monthOf(ctx.now, usePreviousBillingCycle)
    return { data: { success: true, message: await usage(ctx, range) } }
  },
}

async function usage(ctx: ReadCtx, range: Range): Promise<string> {
  const points = await findPoints(ctx.db, day, range)
  const messages = points.reduce((sum, point) => sum + point.messages, 0)
  const users = await countActiveUsers(ctx.db, range)
  const peak = await findPeak(ctx.db, range)
  const month = new Date(range.from * 1000).toISOString().slice(0, 7)
  return `${month}: ${messages} messages, ${users} active users, ${peak} online at once at most.`
}

/** The calendar month in UTC. */
function monthOf(now: number, before: boolean): Range {
  const date = new Date(now * 1000)
  const month = date.getUTCMonth() - (before ? 1 : 0)
  const start = (of: number) => Date.UTC(date.getUTCFullYear(), of) / 1000
  return { from: start(month), to: start(month + 1) }
}

/** The last hour of whole points, unless told otherwise. */
function rangeOf(now: number, interval: number, startTime?: number, endTime?: number): Range {
  const floor = (at: number) => at - (at % interval)
  const span = interval === 300 ? 3600 : interval * 24
  const to = floor(endTime === undefined ? now : seconds(endTime))
  const from = startTime === undefined ? to - span : floor(seconds(startTime))
  return { from: Math.max(0, from), to }
}

function requireRange({ from, to }: Range, field: string, most: number): void {
  if (to < from) throw badRequest(field, 'The end lies before the start.')
  if (to - from > most) throw badRequest(field, `At most ${most / 3600} hours can be asked for.`)
}

/** Twelve digits or fewer are seconds: both are seen in clients. */
function seconds(time: number): number {
  return time < 100_000_000_000 ? time : Math.floor(time / 1000)
}

function shown(counts: Counts | undefined) {
  return {
    messagesSent: counts?.messages ?? 0,
    readReceipts: counts?.reads ?? 0,
    deliveryReceipts: counts?.deliveries ?? 0,
  }
}

function timesOf({ from, to }: Range) {
  return { startTime: String(from * 1000), endTime: String(to * 1000) }
}
