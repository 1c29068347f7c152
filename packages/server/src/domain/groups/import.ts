import { isDeepStrictEqual } from 'node:util'
import type { GroupDetails } from '@chorale/contract/groups'
import type { ImportedMember } from '@chorale/contract/imports'
import { Failure } from '../../pipeline/failure.ts'
import type { ReadCtx, WriteCtx } from '../../pipeline/handler.ts'
import type { Passwords } from '../../vault/passwords.ts'
import {
  adjustParticipants,
  deleteConversation,
  deleteParticipants,
  insertConversation,
  insertParticipants,
} from '../log/participants/index.ts'
import { existingUids, sortName } from '../users/index.ts'
import type { GroupRow } from '../views/index.ts'
import { bannedAmong, deleteBan, insertBan } from './bans.sql.ts'
import { findGroup, insertGroup, updateGroup } from './groups.sql.ts'
import { type HashedGroup, withHash } from './groups.ts'
import {
  findGroupsToFill,
  type GroupToFill,
  insertMembersAt,
  type MemberFromElsewhere,
  updateMember,
} from './import.sql.ts'
import { deleteMember, findMembers, type Membership } from './members.sql.ts'

export { findGroupsToFill }

const systemUid = 'app_system'

/** By guid. Before the transaction: hashing takes long, and those that are there need none. */
export async function hashMissing(
  passwords: Passwords,
  before: ReadCtx,
  groups: readonly GroupDetails[],
): Promise<ReadonlyMap<string, HashedGroup | Failure>> {
  const hashed = new Map<string, HashedGroup | Failure>()
  for (const group of groups) {
    if (hashed.has(group.guid)) continue
    const { password: _, ...known } = group
    const stored = await findGroup(before.db, group.guid, undefined)
    hashed.set(
      group.guid,
      stored ? { ...known, passwordHash: null } : await hashedOr(passwords, before, group),
    )
  }
  return hashed
}

async function hashedOr(
  passwords: Passwords,
  before: ReadCtx,
  group: GroupDetails,
): Promise<HashedGroup | Failure> {
  try {
    return await withHash(passwords, before, group)
  } catch (error) {
    if (error instanceof Failure && error.status < 429) return error
    throw error
  }
}

/**
 * Stores groups that come from elsewhere, without an event. By guid: the stored group, or why there is
 * none. One that is stored already, and is the same, is as good.
 */
export async function importGroups(
  ctx: WriteCtx,
  groups: ReadonlyMap<string, HashedGroup | Failure>,
  update = false,
): Promise<ReadonlyMap<string, GroupRow | Failure>> {
  const owners = [...groups.values()].flatMap((one) => (one instanceof Failure ? [] : ownerOf(one)))
  const existing = await existingUids(ctx.db, owners)
  const outcomes = new Map<string, GroupRow | Failure>()
  for (const [guid, group] of [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    outcomes.set(
      guid,
      group instanceof Failure ? group : await importGroup(ctx, group, existing, update),
    )
  }
  return outcomes
}

function ownerOf({ owner = systemUid }: HashedGroup): string {
  return owner
}

async function importGroup(
  ctx: WriteCtx,
  group: HashedGroup,
  existing: ReadonlySet<string>,
  update: boolean,
): Promise<GroupRow | Failure> {
  const { guid } = group
  const before = await findGroup(ctx.db, guid, undefined)
  if (before) {
    const known =
      update && !isSame(group, before) ? await changeGroup(ctx, group, before, existing) : before
    return isSame(group, known) ? known : new Failure('ERR_GUID_ALREADY_EXISTS', { guid })
  }
  const owner = ownerOf(group)
  if (!existing.has(owner)) return new Failure('ERR_UID_NOT_FOUND', { uid: owner })
  await makeGroup(ctx, group, owner)
  const row = await findGroup(ctx.db, guid, undefined)
  if (!row) throw new Error('A group was lost while it was imported.')
  return row
}

/** Its creation stays, and whether it has a password, which is not known here. */
async function changeGroup(
  ctx: WriteCtx,
  group: HashedGroup,
  before: GroupRow,
  existing: ReadonlySet<string>,
): Promise<GroupRow> {
  const { guid, name, icon, description, metadata, tags, owner } = group
  const isOpen = group.type !== 'password' && before.type !== 'password'
  const changes = {
    name,
    sortName: sortName(name),
    icon,
    description,
    metadata,
    tags,
    ...(isOpen && { type: group.type }),
    ...(owner !== undefined && existing.has(owner) && { owner }),
  }
  await updateGroup(ctx.db, guid, changes, { uid: systemUid, at: ctx.now })
  return (await findGroup(ctx.db, guid, undefined)) ?? before
}

async function makeGroup(ctx: WriteCtx, group: HashedGroup, owner: string): Promise<void> {
  const { guid, createdAt = ctx.now } = group
  const conversation = await insertConversation(ctx.db, createdAt)
  const row = { ...group, ...conversation, owner, sortName: sortName(group.name), createdAt }
  // Whoever was quicker has made the same one, or is told so with the next call.
  if (!(await insertGroup(ctx.db, row))) await deleteConversation(ctx.db, conversation)
  else if (owner !== systemUid) {
    const founder = { uid: owner, scope: 'admin', joinedAt: createdAt } as const
    await addMembers(ctx, { guid, ...conversation, createdAt }, [founder])
  }
}

/** In all that the call says; a password cannot be compared. */
function isSame(group: HashedGroup, row: GroupRow): boolean {
  const names = ['name', 'type', 'icon', 'description', 'owner', 'createdAt'] as const
  const lists = ['metadata', 'tags'] as const
  return (
    names.every((name) => group[name] === undefined || group[name] === row[name]) &&
    lists.every((name) => group[name] === undefined || isDeepStrictEqual(group[name], row[name]))
  )
}

type Stored = Pick<Membership, 'scope' | 'joinedAt'>

/** Members and banned users of one group, whose users exist or not: what became of each, by uid. */
export async function importMembers(
  ctx: WriteCtx,
  group: GroupToFill,
  wanted: readonly ImportedMember[],
  existing: ReadonlySet<string>,
  update = false,
): Promise<ReadonlyMap<string, Stored | Failure>> {
  const uids = wanted.map(({ uid }) => uid)
  const members = await findMembers(ctx.db, group.guid, uids, true)
  const banned = await bannedAmong(ctx.db, group.guid, uids)
  if (update) await makeWay(ctx, group, wanted, members, banned)
  const outcomes = new Map<string, Stored | Failure>()
  const fresh: MemberFromElsewhere[] = []
  for (const one of wanted) {
    const { uid, scope = 'participant', isBanned, hasLeft } = one
    const member = members.get(uid)
    const since = update ? member?.joinedAt : undefined
    const { joinedAt = since ?? group.createdAt } = one
    const standing = { group, existing, member, isOut: banned.has(uid) }
    const objection = objectionTo(ctx.now, { ...one, scope, joinedAt }, standing)
    outcomes.set(uid, objection ?? { scope, joinedAt })
    if (objection || member || banned.has(uid) || hasLeft) continue
    if (isBanned) await insertBan(ctx.db, group.guid, uid, { uid: systemUid, at: joinedAt })
    else fresh.push({ uid, scope, joinedAt })
  }
  await addMembers(ctx, group, fresh)
  return outcomes
}

/** What stands against the wishes goes, and is taken out of what is known. */
async function makeWay(
  ctx: WriteCtx,
  { guid, bucket, key }: GroupToFill,
  wanted: readonly ImportedMember[],
  members: Map<string, Membership>,
  banned: Set<string>,
): Promise<void> {
  const gone: string[] = []
  for (const { uid, scope = 'participant', isBanned, hasLeft, joinedAt } of wanted) {
    const known = members.get(uid)
    if (banned.has(uid) && !isBanned && (await deleteBan(ctx.db, guid, uid))) banned.delete(uid)
    if (!known) continue
    if (isBanned || hasLeft) {
      if (await deleteMember(ctx.db, guid, uid)) gone.push(uid)
      members.delete(uid)
    } else {
      const now = { uid, scope, joinedAt: joinedAt ?? known.joinedAt }
      if (!isDeepStrictEqual(now, { ...known })) await updateMember(ctx.db, guid, now)
      members.set(uid, now)
    }
  }
  if (gone.length === 0) return
  await adjustParticipants(ctx.db, { bucket, key }, -gone.length)
  await deleteParticipants(ctx.db, { bucket, key }, gone)
}

interface Standing {
  readonly group: GroupToFill
  readonly existing: ReadonlySet<string>
  readonly member: Membership | undefined
  readonly isOut: boolean
}

/** A repeat is none. */
function objectionTo(
  now: number,
  { uid, scope, isBanned, hasLeft, joinedAt }: ImportedMember & Stored,
  { group: { guid, createdAt }, existing, member, isOut }: Standing,
): Failure | undefined {
  if (!existing.has(uid)) return new Failure('ERR_UID_NOT_FOUND', { uid })
  if (isOut) return isBanned ? undefined : new Failure('ERR_BANNED_GROUPMEMBER', { uid, guid })
  if (member) {
    const isRepeat = !isBanned && !hasLeft && member.scope === scope && member.joinedAt === joinedAt
    return isRepeat ? undefined : new Failure('ERR_ALREADY_JOINED', { uid, guid })
  }
  if (!hasLeft && (joinedAt < createdAt || joinedAt > now)) {
    return new Failure('ERR_IMPORT_INVALID_JOINEDAT', { createdAt })
  }
  return undefined
}

/** Nothing in the group tells of it; their devices begin to follow its conversation. */
async function addMembers(
  ctx: WriteCtx,
  { guid, bucket, key }: GroupToFill,
  members: readonly MemberFromElsewhere[],
): Promise<void> {
  if (members.length === 0) return
  const added = [...(await insertMembersAt(ctx.db, guid, members))]
  if (added.length === 0) return
  await adjustParticipants(ctx.db, { bucket, key }, added.length)
  await insertParticipants(ctx.db, { bucket, key }, guid, added)
  await ctx.outbox.append('conversation.started', { bucket, key, uids: added })
}
