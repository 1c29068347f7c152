import { Failure } from '../../pipeline/failure.ts'
import type { ReadCtx, WriteCtx } from '../../pipeline/handler.ts'
import { existingUids } from '../users/index.ts'
import { findGroupFacts, type GroupFacts, type Hold } from './groups.sql.ts'
import { findMembers } from './members.sql.ts'
import { type Acting, rankOf } from './rules.ts'

/**
 * Those of these users who exist, held alone until the end: whether someone joins, is added, banned
 * or deleted is decided call by call. Taken before the group, as everywhere.
 */
export function holdUsers({ db }: WriteCtx, uids: readonly string[]): Promise<Set<string>> {
  return existingUids(db, uids, { alone: true })
}

/** The only way to a group: loaded, held as the call needs it, or the failure. */
export async function accessGroup(
  { db }: Pick<ReadCtx, 'db'>,
  guid: string,
  hold: Hold,
): Promise<GroupFacts> {
  const group = await findGroupFacts(db, guid, hold)
  if (!group) throw new Failure('ERR_GUID_NOT_FOUND', { guid })
  return group
}

/** As what the acting user stands in the group; undefined when the app itself acts. */
export async function actingIn(ctx: ReadCtx, group: GroupFacts): Promise<Acting | undefined> {
  if (!ctx.actor) return undefined
  const { uid } = ctx.actor
  const { guid } = group
  const member = (await findMembers(ctx.db, guid, [uid], false)).get(uid)
  if (member) return { uid, rank: rankOf(member.scope, uid, group.owner) }
  // A private group does not exist for those who are not in it.
  throw group.type === 'private'
    ? new Failure('ERR_GUID_NOT_FOUND', { guid })
    : new Failure('ERR_GROUP_NOT_JOINED', { uid, guid })
}
