import { rememberedVersions } from '../../../pipeline/caller.ts'
import { Failure, StaleFacts } from '../../../pipeline/failure.ts'
import type { ReadCtx } from '../../../pipeline/handler.ts'
import type { Receiver } from '../../../realtime/ports.ts'
import { pairsOf } from '../../conversations/index.ts'
import type { GroupRow } from '../../views/index.ts'
import { accessMessage } from '../stored/access.ts'
import type { Scope } from './history.sql.ts'
import type { Wanted } from './history-filter.ts'
import type { HistoryReads } from './history-reads.ts'
import type { HistoryPlace, Newest } from './history-scope.sql.ts'

/** The messages of a group: of a member's view, or the app's. */
export async function groupScope(
  reads: HistoryReads,
  ctx: ReadCtx,
  guid: string,
  query: Wanted,
  newest: Newest | undefined,
): Promise<{ readonly scope: Scope; readonly group: GroupRow }> {
  const uid = ctx.actor?.uid
  const { appId } = ctx.db
  const versions = rememberedVersions(ctx)
  const place = await reads.groupPlace.load({ appId, of: guid, viewer: uid, newest, versions })
  if (!place) throw new Failure('ERR_GUID_NOT_FOUND', { guid })
  if (!place.current) throw new StaleFacts()
  if (uid !== undefined && place.resetSeq === null) {
    if (place.banned) throw new Failure('ERR_BANNED_GROUPMEMBER', { uid, guid })
    if (place.isPrivate) throw new Failure('ERR_GUID_NOT_FOUND', { guid })
    throw new Failure('ERR_GROUP_NOT_JOINED', { uid, guid })
  }
  return {
    scope: conversationScope(place, { kind: 'group', guid }, query, uid),
    group: place,
  }
}

/** The messages of two users, one of whom looks at them. */
export async function userScope(
  reads: HistoryReads,
  ctx: ReadCtx,
  uid: string,
  viewer: string,
  query: Wanted,
  newest: Newest | undefined,
): Promise<Scope> {
  const { appId } = ctx.db
  const versions = rememberedVersions(ctx)
  const place = await reads.userPlace.load({ appId, of: uid, viewer, newest, versions })
  if (!place) throw new Failure('ERR_UID_NOT_FOUND', { uid })
  if (!place.current) throw new StaleFacts()
  return conversationScope(place, { kind: 'user', uids: [viewer, uid] }, query, viewer)
}

/** All that a user can see in all their conversations; without a user, all of the app. */
export function everythingOf(uid: string | undefined, { unread, undelivered }: Wanted): Scope {
  if (uid === undefined) return { kind: 'app' }
  const behind = unread ? ('read' as const) : undelivered ? ('delivered' as const) : undefined
  return { kind: 'user', uid, ...(behind && { behind }) }
}

/**
 * A label can stand for several conversations; the first that exists for the viewer is meant, one
 * between two users before a group: the app gives out the ids of users.
 */
export async function labelledScope(
  reads: HistoryReads,
  ctx: ReadCtx,
  label: string,
  query: Wanted,
): Promise<Scope> {
  const { appId } = ctx.db
  const viewer = ctx.actor?.uid
  for (const [a, b] of pairsOf(label, viewer)) {
    const place = await reads.userPlace.load({ appId, of: a, viewer: b })
    if (place?.key) return conversationScope(place, { kind: 'user', uids: [a, b] }, query, viewer)
  }
  const guid = /^group_(.+)$/.exec(label)?.[1]
  const group =
    guid === undefined ? undefined : await reads.groupPlace.load({ appId, of: guid, viewer })
  if (guid !== undefined && group && (viewer === undefined || group.resetSeq !== null)) {
    return conversationScope(group, { kind: 'group', guid }, query, viewer)
  }
  throw new Failure('ERR_CONVERSATION_NOT_ACCESSIBLE')
}

export async function threadScope(ctx: ReadCtx, id: string): Promise<Scope> {
  const { row, receiver } = await accessMessage(ctx, id, 'read')
  const { bucket, key, seq } = row
  return { kind: 'conversation', bucket, key, receiver, hiddenTo: seq, parentSeq: seq }
}

/** Without a viewer nothing is hidden, read or unread. */
function conversationScope(
  { bucket, key, resetSeq, readSeq, deliveredSeq, ...read }: HistoryPlace,
  receiver: Receiver,
  { unread, undelivered }: Wanted,
  viewer: string | undefined,
): Scope {
  if (bucket === null || key === null) return { kind: 'nothing' }
  const hiddenTo =
    viewer === undefined
      ? 0
      : Math.max(resetSeq ?? 0, unread ? (readSeq ?? 0) : 0, undelivered ? (deliveredSeq ?? 0) : 0)
  const isSeen = ({ seq }: { readonly seq: number }) => seq > hiddenTo
  const newest = read.newest?.filter(isSeen)
  const plain = read.plain && isSeen(read.plain.oldest) ? read.plain : undefined
  return { kind: 'conversation', bucket, key, receiver, hiddenTo, newest, plain }
}
