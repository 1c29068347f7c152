import type { deadLetters, InstallStatus, installStatus, usage } from '@chorale/contract/operators'
import type { InstallHandlers } from '../../pipeline/handler.ts'
import { type AppUsageRow, listAppUsage } from './usage.sql.ts'

/** What is known of the install beside its database. */
export interface Operating {
  status(): Promise<InstallStatus>
  readonly letters: {
    /** The oldest ones, behind the one with this number. */
    list(most: number, after?: number): Promise<readonly Letter[]>
    /** False: there is no such letter. */
    replay(number: number): Promise<boolean>
  }
}

interface Letter {
  readonly number: number
  readonly at: number
  readonly appId: string
  readonly listener: string
  readonly event: { readonly id: string; readonly name: string }
  readonly error: string
}

type Own = typeof installStatus & typeof deadLetters & typeof usage

const day = 86_400

export function operatorHandlers({ status, letters }: Operating): InstallHandlers<Own> {
  return {
    async getInstallStatus() {
      return { data: await status() }
    },

    async listDeadLetters({ query: { limit, after } }) {
      const found = await letters.list(limit, after)
      return {
        data: found.map(({ number, at, appId, listener, event, error }) => ({
          number,
          at,
          appId,
          listener,
          event: event.name,
          eventId: event.id,
          error,
        })),
      }
    },

    async replayDeadLetters({ body: { numbers } }) {
      let replayed = 0
      for (const number of new Set(numbers)) if (await letters.replay(number)) replayed++
      return { data: { replayed } }
    },

    async listUsage({ query: { days, limit } }, { db, now }) {
      const to = now - (now % day) + day
      const from = to - days * day
      const rows = await listAppUsage(db, { from, to, now }, limit)
      // The last day is not over yet.
      const hours = (now - from) / 3600
      return { data: { from, to, apps: rows.map((row) => shown(row, from, days, hours)) } }
    },
  }
}

function shown({ points, ...row }: AppUsageRow, from: number, days: number, hours: number) {
  const { messages } = row
  return {
    ...row,
    usualHour: Math.round((messages / Math.max(1, hours)) * 100) / 100,
    days: Array.from({ length: days }, (_, nth) => points[String(from + nth * day)] ?? 0),
  }
}
