import type { Message } from '@chorale/contract/conversations'
import type { ItemOutcome } from '@chorale/contract/envelope'
import type { GroupScope } from '@chorale/contract/groups'
import type { ConversationKey } from '../../outbox/committed.ts'
import { badRequest, Failure } from '../../pipeline/failure.ts'
import type { ReadCtx, WriteCtx } from '../../pipeline/handler.ts'
import { adjustParticipants, insertParticipants } from '../log/participants/index.ts'
import { bannedAmong, insertBan } from './bans.sql.ts'
import { actorUid, type Recording, record, recordArrivals, recordDeparture } from './history.ts'
import { deleteMember, findMembers, insertMembers } from './members.sql.ts'
import { requireFeature } from './rules.ts'

const maxPerCall = 25

export interface Wanted {
  readonly admins?: readonly string[] | undefined
  readonly moderators?: readonly string[] | undefined
  readonly participants?: readonly string[] | undefined
  readonly usersToBan?: readonly string[] | undefined
  readonly founder?: string | undefined
}

interface GroupKey extends ConversationKey {
  readonly guid: string
  readonly owner: string
}

type ListName = 'admins' | 'moderators' | 'participants'
const lists: readonly (readonly [ListName, GroupScope])[] = [
  ['admins', 'admin'],
  ['moderators', 'moderator'],
  ['participants', 'participant'],
]

export type Admission = Partial<
  Record<ListName, Record<string, ItemOutcome & { data?: Message }>> & {
    usersToBan: Record<string, ItemOutcome>
  }
>

/**
 * Adds and bans up to 25 users, each with an outcome of its own. A uid in several lists gets the
 * highest: admin, moderator, participant, banned.
 */
export async function admitMembers(
  ctx: WriteCtx,
  group: GroupKey,
  wanted: Wanted,
  existing: ReadonlySet<string>,
): Promise<Admission> {
  const asked = assignments(wanted)
  requireFeatures(ctx, asked)
  const founder = wanted.founder
  if (founder !== undefined) await found(ctx, group, founder)
  if (asked.size === 0) return {}
  const uids = [...asked.keys()]
  const members = await findMembers(ctx.db, group.guid, uids, true)
  const banned = await bannedAmong(ctx.db, group.guid, uids)
  const objections = new Map<string, Failure>()
  for (const [uid, list] of asked) {
    const objection =
      list === 'usersToBan'
        ? objectionToBan(ctx, group, uid, existing, banned)
        : objectionToAdding(group, uid, existing, members, banned)
    if (objection) objections.set(uid, objection)
  }
  const chosen = (list: ListName | 'usersToBan') =>
    uids.filter((uid) => asked.get(uid) === list && !objections.has(uid))
  const messages = await add(ctx, group, chosen)
  const toBan = chosen('usersToBan')
  const recording = { ...ctx, together: toBan.length }
  for (const uid of toBan) await ban(recording, group, uid, members.has(uid))
  return outcomes(asked, objections, messages)
}

/** What a role may not do in a call of its own, it does not do in this one. */
function requireFeatures({ actor }: ReadCtx, asked: ReadonlyMap<string, ListName | 'usersToBan'>) {
  const names = [...asked.values()]
  if (names.includes('usersToBan')) requireFeature(actor, 'ban')
  if (names.some((name) => name !== 'usersToBan')) requireFeature(actor, 'addMember')
  if (names.length > 1) requireFeature(actor, 'massMemberOperate')
}

/** A uid outside the lists of the contract cannot be here; a list longer than allowed can. */
function assignments(wanted: Wanted): Map<string, ListName | 'usersToBan'> {
  const asked = new Map<string, ListName | 'usersToBan'>()
  const names = ['admins', 'moderators', 'participants', 'usersToBan'] as const
  const named = names.flatMap((name) => (wanted[name] ?? []).map((uid) => ({ uid, name })))
  if (named.length > maxPerCall) {
    throw badRequest('members', `Name at most ${maxPerCall} users in one call.`)
  }
  for (const { uid, name } of named) if (!asked.has(uid)) asked.set(uid, name)
  if (wanted.founder !== undefined) asked.delete(wanted.founder)
  return asked
}

async function found(ctx: WriteCtx, group: GroupKey, uid: string): Promise<void> {
  await insertMembers(ctx.db, group.guid, [{ uid, scope: 'admin' }], ctx.now)
  await adjustParticipants(ctx.db, group, 1)
  await insertParticipants(ctx.db, group, group.guid, [uid])
  const { bucket, key } = group
  await ctx.outbox.append('conversation.started', { bucket, key, uids: [uid] })
}

async function add(
  ctx: WriteCtx,
  group: GroupKey,
  chosen: (list: ListName) => string[],
): Promise<Map<string, Message>> {
  const wanted = lists.flatMap(([list, scope]) => chosen(list).map((uid) => ({ uid, scope })))
  const added = await insertMembers(ctx.db, group.guid, wanted, ctx.now)
  const uids = wanted.map(({ uid }) => uid).filter((uid) => added.has(uid))
  const actions = uids.map((uid) => ({ action: 'added', on: uid }) as const)
  const messages = await recordArrivals(ctx, group, actions, uids)
  return new Map(uids.flatMap((uid, place) => pair(uid, messages[place])))
}

function pair(uid: string, message: Message | undefined): [string, Message][] {
  return message ? [[uid, message]] : []
}

export async function ban(
  ctx: Recording,
  group: GroupKey,
  uid: string,
  member: boolean,
): Promise<void> {
  const by = { uid: actorUid(ctx), at: ctx.now }
  if (!(await insertBan(ctx.db, group.guid, uid, by))) {
    throw new Failure('ERR_ALREADY_BANNED', { uid, guid: group.guid })
  }
  const action = { action: 'banned', on: uid } as const
  const left = member && (await deleteMember(ctx.db, group.guid, uid))
  if (left) await recordDeparture(ctx, group, action, uid)
  else await record(ctx, group, action)
}

function objectionToAdding(
  { guid }: GroupKey,
  uid: string,
  existing: ReadonlySet<string>,
  members: ReadonlyMap<string, unknown>,
  banned: ReadonlySet<string>,
): Failure | undefined {
  if (!existing.has(uid)) return new Failure('ERR_UID_NOT_FOUND', { uid })
  if (banned.has(uid)) return new Failure('ERR_BANNED_GROUPMEMBER', { uid, guid })
  if (members.has(uid)) return new Failure('ERR_ALREADY_JOINED', { uid, guid })
  return undefined
}

function objectionToBan(
  { actor }: ReadCtx,
  { guid, owner }: GroupKey,
  uid: string,
  existing: ReadonlySet<string>,
  banned: ReadonlySet<string>,
): Failure | undefined {
  if (!existing.has(uid)) return new Failure('ERR_UID_NOT_FOUND', { uid })
  if (banned.has(uid)) return new Failure('ERR_ALREADY_BANNED', { uid, guid })
  if (uid === actor?.uid) return new Failure('ERR_GROUP_NO_SELF_ACTION')
  if (uid === owner) {
    return new Failure('ERR_GROUP_NO_CLEARANCE', { what: 'Nobody acts on the owner.' })
  }
  return undefined
}

function outcomes(
  asked: ReadonlyMap<string, ListName | 'usersToBan'>,
  objections: ReadonlyMap<string, Failure>,
  messages: ReadonlyMap<string, Message>,
): Admission {
  const result: Record<string, Record<string, ItemOutcome & { data?: Message }>> = {}
  for (const [uid, list] of asked) {
    const objection = objections.get(uid)
    const data = messages.get(uid)
    result[list] ??= {}
    result[list][uid] = objection
      ? { success: false, error: objection.brief() }
      : { success: true, ...(data && { data }) }
  }
  return result
}
