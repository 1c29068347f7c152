import type { Input } from '@chorale/contract/operation'
import type { users } from '@chorale/contract/users'
import type { Actor } from '../../pipeline/caller.ts'
import { Failure } from '../../pipeline/failure.ts'
import type { ReadCtx } from '../../pipeline/handler.ts'
import { areFriends, friendsAmong } from './relationships/friends.sql.ts'
import { sortName } from './user-view.ts'
import { findUsers, type UserFilter, type UserRow } from './users.sql.ts'

type Query = Input<typeof users.listUsers>['query']

/** What a list may contain for this actor; undefined: nothing at all. */
export function visibleTo(actor: Actor | undefined, query: Query): UserFilter | undefined {
  const may = actor ? listingRights(actor) : { friendsOnly: false, roles: undefined }
  const roles = intersection(may.roles, wantedRoles(query))
  if (roles?.length === 0) return undefined
  const searchIn = query.searchIn ?? ['name', 'uid']
  return {
    search: query.searchKey
      ? {
          text: sortName(query.searchKey),
          inName: searchIn.includes('name'),
          inUid: searchIn.includes('uid'),
        }
      : undefined,
    status: query.status,
    roles,
    uids: query.uids,
    tags: query.tags,
    active: activity(query),
    friendsOf: may.friendsOnly ? actor?.uid : undefined,
    viewer: actor?.uid,
  }
}

/** Role settings are the older form of the permissions; whichever denies, denies. */
function listingRights({ permissions, roleSettings }: Actor) {
  if (permissions.listUsers === 'deny') {
    throw new Failure('ERR_PERMISSION_DENIED', { what: 'listUsers' })
  }
  return {
    friendsOnly:
      permissions['listUsers.mode'] === 'friends' || roleSettings.listUsers === 'friendsOnly',
    roles: restriction(permissions['listUsers.allowedRoles']),
  }
}

export async function mayGet({ db, actor }: ReadCtx, user: UserRow): Promise<boolean> {
  if (!actor || actor.uid === user.uid) return true
  const roles = restriction(actor.permissions['getUserDetails.allowedRoles'])
  if (roles && !roles.includes(user.role)) return false
  if (actor.permissions['getUserDetails.mode'] !== 'friends') return true
  return areFriends(db, actor.uid, user.uid)
}

/** Of these, whose details the acting user may not see. */
export async function unseenAmong(
  { db, actor }: Pick<ReadCtx, 'db' | 'actor'>,
  uids: readonly string[],
): Promise<string[]> {
  if (!actor || uids.length === 0) return []
  const roles = restriction(actor.permissions['getUserDetails.allowedRoles'])
  const friendsOnly = actor.permissions['getUserDetails.mode'] === 'friends'
  if (!roles && !friendsOnly) return []
  const users = await findUsers(db, uids, undefined)
  const friends = await friendsAmong(db, actor.uid, uids)
  const isSeen = ({ uid, role }: UserRow) =>
    uid === actor.uid || ((!roles || roles.includes(role)) && (!friendsOnly || friends.has(uid)))
  return users.filter((user) => !isSeen(user)).map(({ uid }) => uid)
}

/** Devices see who is there, unless the app shows them more. */
export function requireMayListDeactivated({ app, caller }: ReadCtx, query: Query): void {
  const asks = query.onlyDeactivated || query.withDeactivated
  if (!asks || caller.kind !== 'device') return
  if (app.settings['users.devicesListDeactivated'] === true) return
  throw new Failure('ERR_PERMISSION_DENIED', { what: 'deactivated users' })
}

/** An empty list restricts nothing. */
function restriction(value: string | string[] | undefined): string[] | undefined {
  const list = value === undefined ? [] : [value].flat()
  return list.length > 0 ? list : undefined
}

function wantedRoles({ role, roles }: Query): string[] | undefined {
  if (role === undefined && roles === undefined) return undefined
  return [...(roles ?? []), ...(role === undefined ? [] : [role])]
}

function intersection(a: string[] | undefined, b: string[] | undefined): string[] | undefined {
  if (!a || !b) return a ?? b
  return a.filter((item) => b.includes(item))
}

function activity({ onlyDeactivated, withDeactivated }: Query): boolean[] {
  if (onlyDeactivated) return [false]
  return withDeactivated ? [true, false] : [true]
}
