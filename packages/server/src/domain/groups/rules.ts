import type { GroupScope } from '@chorale/contract/groups'
import type { Actor } from '../../pipeline/caller.ts'
import { Failure } from '../../pipeline/failure.ts'

/**
 * Who may do what in a group. The app itself (no actor) may do everything; nobody acts on the
 * owner; moderators act on participants only.
 */
export interface Acting {
  readonly uid: string
  /** As what the actor stands in the group. */
  readonly rank: 'participant' | 'moderator' | 'admin' | 'owner'
}

export type Rank = Acting['rank']

const height: Readonly<Record<Rank, number>> = { participant: 0, moderator: 1, admin: 2, owner: 3 }

export function rankOf(scope: GroupScope, uid: string, owner: string): Rank {
  return uid === owner ? 'owner' : scope
}

export function requireModerator(acting: Acting | undefined): void {
  if (acting && height[acting.rank] < height.moderator) {
    throw new Failure('ERR_GROUP_NO_MODERATOR_SCOPE')
  }
}

export function requireAdmin(acting: Acting | undefined): void {
  if (acting && height[acting.rank] < height.admin) throw new Failure('ERR_GROUP_NO_ADMIN_SCOPE')
}

export function requireOwner(acting: Acting | undefined): void {
  if (acting && acting.rank !== 'owner') {
    throw new Failure('ERR_GROUP_NO_CLEARANCE', { what: 'Only the owner may hand the group over.' })
  }
}

/** Kick and ban: a moderator participants, an admin anyone but the owner. */
export function requireClearanceOver(
  acting: Acting | undefined,
  uid: string,
  target: Rank | undefined,
): void {
  if (acting?.uid === uid) throw new Failure('ERR_GROUP_NO_SELF_ACTION')
  if (target === 'owner') {
    throw new Failure('ERR_GROUP_NO_CLEARANCE', { what: 'Nobody acts on the owner.' })
  }
  if (!acting || acting.rank === 'owner' || acting.rank === 'admin') return
  if (acting.rank === 'moderator' && (target ?? 'participant') === 'participant') return
  throw new Failure('ERR_GROUP_NO_CLEARANCE', {
    what: 'Moderators act on participants, admins on everyone but the owner.',
  })
}

/** A scope is given and taken by admins; moderators move participants and moderators only. */
export function requireScopeClearance(
  acting: Acting | undefined,
  uid: string,
  target: Rank,
  scope: GroupScope,
): void {
  if (acting?.uid === uid) throw new Failure('ERR_GROUP_NO_SELF_ACTION')
  if (target === 'owner') throw new Failure('ERR_GROUP_NO_SCOPE_CLEARANCE')
  if (!acting || height[acting.rank] >= height.admin) return
  const below = height[target] <= height.moderator && height[scope] <= height.moderator
  if (acting.rank === 'moderator' && below) return
  throw new Failure('ERR_GROUP_NO_SCOPE_CLEARANCE')
}

/** Role permissions that speak of groups: a denial, or a list of the types that are left. */
export function requireGroupPermission(
  actor: Actor | undefined,
  what: 'createGroup' | 'joinGroup' | 'listGroups',
  type: string,
): void {
  if (!actor) return
  const types = allowedTypes(actor, what)
  if (types && !types.includes(type)) throw new Failure('ERR_PERMISSION_DENIED', { what })
}

/** Undefined: every type. */
export function allowedTypes(
  { permissions }: Actor,
  what: 'createGroup' | 'joinGroup' | 'listGroups',
): string[] | undefined {
  if (permissions[what] === 'deny') throw new Failure('ERR_PERMISSION_DENIED', { what })
  const types = [permissions[`${what}.allowedGroupTypes`] ?? []].flat()
  return types.length > 0 ? types : undefined
}

/** A feature that only a part of an operation uses. */
export function requireFeature(actor: Actor | undefined, feature: string): void {
  if (actor?.restrictedFeatures.includes(feature)) {
    throw new Failure('ERR_PERMISSION_DENIED', { what: `the feature ${feature}` })
  }
}
