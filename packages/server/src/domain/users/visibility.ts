import type { Input } from '@chorale/contract/operation'
import type { users } from '@chorale/contract/users'
import type { Actor } from '../../pipeline/caller.ts'
import { Failure } from '../../pipeline/failure.ts'
import type { Ctx } from '../../pipeline/handler.ts'
import { areFriends } from './friends.sql.ts'
import { sortName } from './user-view.ts'
import type { UserFilter, UserRow } from './users.sql.ts'

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

export async function mayGet({ db, actor }: Ctx, user: UserRow): Promise<boolean> {
  if (!actor || actor.uid === user.uid) return true
  const roles = restriction(actor.permissions['getUserDetails.allowedRoles'])
  if (roles && !roles.includes(user.role)) return false
  if (actor.permissions['getUserDetails.mode'] !== 'friends') return true
  return areFriends(db, actor.uid, user.uid)
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
