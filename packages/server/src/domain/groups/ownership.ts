import { Failure } from '../../pipeline/failure.ts'
import type { WriteCtx } from '../../pipeline/handler.ts'
import { bannedAmong } from './bans.sql.ts'
import { type GroupFacts, updateGroup } from './groups.sql.ts'
import { actorUid, record, recordArrivals } from './history.ts'
import { findMembers, insertMembers, updateScope } from './members.sql.ts'
import { requireFeature } from './rules.ts'

/** The new owner is an admin, added first if need be; the old one stays what they were. */
export async function changeOwner(
  ctx: WriteCtx,
  group: GroupFacts,
  owner: string,
  existing: ReadonlySet<string>,
): Promise<void> {
  const { guid } = group
  if (owner === group.owner) return
  if (!existing.has(owner)) throw new Failure('ERR_UID_NOT_FOUND', { uid: owner })
  if ((await bannedAmong(ctx.db, guid, [owner])).has(owner)) {
    throw new Failure('ERR_BANNED_GROUPMEMBER', { uid: owner, guid })
  }
  await makeAdmin(ctx, group, owner)
  await updateGroup(ctx.db, guid, { owner }, { uid: actorUid(ctx), at: ctx.now })
  await ctx.outbox.append('group.ownerChanged', { guid, owner, oldOwner: group.owner })
}

async function makeAdmin(ctx: WriteCtx, group: GroupFacts, uid: string): Promise<void> {
  const member = (await findMembers(ctx.db, group.guid, [uid], true)).get(uid)
  if (!member) {
    requireFeature(ctx.actor, 'addMember')
    const added = await insertMembers(ctx.db, group.guid, [{ uid, scope: 'admin' }], ctx.now)
    if (added.has(uid)) await recordArrivals(ctx, group, [{ action: 'added', on: uid }], [uid])
  } else if (member.scope !== 'admin') {
    await updateScope(ctx.db, group.guid, uid, 'admin')
    await record(ctx, group, {
      action: 'scopeChanged',
      on: uid,
      oldScope: member.scope,
      newScope: 'admin',
    })
  }
}
