import type { AppTransaction } from '../../outbox/unit-of-work.ts'
import { readSettings } from '../apps/index.ts'
import { existingUids } from '../users/index.ts'
import { ban } from './admission.ts'
import { bannedAmong } from './bans.sql.ts'
import { findGroupFacts } from './groups.sql.ts'
import { recordDeparture } from './history.ts'
import { deleteMember, findMembers } from './members.sql.ts'

/** Out of a group, by the app itself. The owner stays, and who is gone is left alone. */
export async function expel(
  ctx: AppTransaction,
  guid: string,
  uid: string,
  how: 'kick' | 'ban',
): Promise<void> {
  const { db } = ctx
  const existing = await existingUids(db, [uid], { alone: true })
  const group = await findGroupFacts(db, guid, 'share')
  if (!group || !existing.has(uid) || group.owner === uid) return
  const recording = { ...ctx, app: { settings: await readSettings(db) } }
  const isMember = (await findMembers(db, guid, [uid], true)).has(uid)
  if (how === 'ban') {
    if ((await bannedAmong(db, guid, [uid])).has(uid)) return
    await ban(recording, group, uid, isMember)
  } else if (await deleteMember(db, guid, uid)) {
    await recordDeparture(recording, group, { action: 'kicked', on: uid }, uid)
  }
}
