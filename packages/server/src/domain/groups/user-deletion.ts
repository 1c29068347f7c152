import type { WriteCtx } from '../../pipeline/handler.ts'
import { accessGroup, holdUsers } from './access.ts'
import { type GroupFacts, updateGroup } from './groups.sql.ts'
import { recordDeparture } from './history.ts'
import { deleteMember, groupsOf, oldestAdmin } from './members.sql.ts'

/** A user who is deleted for ever leaves every group; owned groups go to the oldest admin. */
export async function leaveAllGroups(ctx: WriteCtx, uid: string): Promise<void> {
  await holdUsers(ctx, [uid])
  for (const guid of await groupsOf(ctx.db, uid)) {
    const group = await accessGroup(ctx, guid, 'change')
    if (group.owner === uid) await passOn(ctx, group, uid)
    if (await deleteMember(ctx.db, guid, uid)) {
      await recordDeparture(ctx, group, { action: 'kicked', on: uid }, uid)
    }
  }
}

async function passOn(ctx: WriteCtx, { guid }: GroupFacts, oldOwner: string): Promise<void> {
  const owner = (await oldestAdmin(ctx.db, guid, oldOwner)) ?? 'app_system'
  await updateGroup(ctx.db, guid, { owner }, { uid: 'app_system', at: ctx.now })
  await ctx.outbox.append('group.ownerChanged', { guid, owner, oldOwner })
}
