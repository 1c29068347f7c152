import type { Group } from '@chorale/contract/groups'
import type { User } from '@chorale/contract/users'
import type { AppDb } from '../../database/app-db.ts'
import { findUsers, shownUser, type UserView } from '../users/index.ts'
import { findGroups, type GroupRow } from './counterparts.sql.ts'

/** Users and groups that a page of entries or conversations speaks of, each loaded once. */
export interface Counterparts {
  user(uid: string): User
  group(guid: string): Group | undefined
}

export async function loadCounterparts(
  db: AppDb,
  wanted: { readonly uids: Iterable<string>; readonly guids: Iterable<string> },
  view: UserView,
): Promise<Counterparts> {
  const users = await findUsers(db, [...new Set(wanted.uids)], view.viewer)
  const groups = await findGroups(db, [...new Set(wanted.guids)], view.viewer)
  const userOf = new Map(users.map((row) => [row.uid, shownUser(row, view)]))
  const groupOf = new Map(groups.map((row) => [row.guid, shownGroup(row, view.withTags)]))
  return {
    user: (uid) => userOf.get(uid) ?? deletedUser(uid),
    group: (guid) => groupOf.get(guid),
  }
}

/** Someone who is gone for ever: their entries may still name them. */
function deletedUser(uid: string): User {
  return { uid, name: uid, role: 'default', status: 'offline', createdAt: 0 }
}

/** A group as the interface shows it: what is not set is left out. */
export function shownGroup(row: GroupRow, withTags: boolean | undefined): Group {
  return {
    guid: row.guid,
    name: row.name,
    type: row.type,
    owner: row.owner,
    membersCount: row.membersCount,
    conversationId: groupConversationId(row.guid),
    hasJoined: row.joinedAt !== null,
    createdAt: row.createdAt,
    ...(row.icon !== null && { icon: row.icon }),
    ...(row.description !== null && { description: row.description }),
    ...(row.metadata !== null && { metadata: row.metadata }),
    ...(withTags && row.tags !== null && { tags: row.tags }),
    ...(row.scope !== null && { scope: row.scope }),
    ...(row.joinedAt !== null && { joinedAt: row.joinedAt }),
    ...(row.updatedAt !== null && { updatedAt: row.updatedAt }),
    ...(row.updatedBy !== null && { updatedBy: row.updatedBy }),
  }
}

export function groupConversationId(guid: string): string {
  return `group_${guid}`
}
