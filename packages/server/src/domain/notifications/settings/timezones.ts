import type { Region } from '@chorale/contract/apps'
import type { timezones } from '@chorale/contract/notifications'
import { badRequest } from '../../../pipeline/failure.ts'
import type { Handlers, WriteCtx } from '../../../pipeline/handler.ts'
import { requireUser } from '../../users/index.ts'
import { readTimezone, writeTimezone } from './timezones.sql.ts'

/** Of users who have named none, by where their app lives. */
const ofRegion: Readonly<Record<Region, string>> = { us: 'EST', eu: 'GMT', in: 'Asia/Kolkata' }

export function timezoneIn(region: Region): string {
  return ofRegion[region]
}

export const timezoneHandlers: Handlers<typeof timezones> = {
  async getTimezone({ query: { uid } }, ctx) {
    await requireUser(ctx, uid)
    return { data: { timezone: (await readTimezone(ctx.db, uid)) ?? timezoneIn(ctx.app.region) } }
  },

  async setTimezone({ query: { uid }, body: { timezone } }, ctx) {
    await requireUser(ctx, uid)
    await rememberTimezone(ctx, uid, timezone)
    return { data: { timezone } }
  },
}

export async function rememberTimezone(
  ctx: WriteCtx,
  uid: string,
  timezone: string,
): Promise<void> {
  if (!isTimezone(timezone)) throw badRequest('timezone', 'There is no such time zone.')
  await writeTimezone(ctx.db, uid, timezone)
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
