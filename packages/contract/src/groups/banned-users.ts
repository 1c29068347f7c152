import { Type } from 'typebox'
import { CursorPage, cursorQuery, Data, Outcome, searchKey } from '../envelope.ts'
import { operations } from '../operation.ts'
import { Uid, User } from '../users/users.ts'
import { Guid } from './groups.ts'

const params = Type.Object({ guid: Guid, uid: Uid })

export const bannedUsers = operations({
  banUser: {
    method: 'POST',
    path: '/groups/:guid/bannedusers/:uid',
    summary: 'Ban a user from a group',
    description:
      'Bans a user from a group: a member is removed, and they cannot join again until the ban ' +
      'is lifted. Moderators can ban participants, admins everyone but the owner.',
    tag: 'Banned Users',
    effect: 'write',
    requires: 'fullAccess',
    onBehalfOf: 'optional',
    device: 'acting',
    feature: 'ban',
    params,
    response: Data(Outcome),
    errors: [
      'ERR_GUID_NOT_FOUND',
      'ERR_UID_NOT_FOUND',
      'ERR_ALREADY_BANNED',
      'ERR_GROUP_NOT_JOINED',
      'ERR_GROUP_NO_SELF_ACTION',
      'ERR_GROUP_NO_CLEARANCE',
      'ERR_PERMISSION_DENIED',
    ],
  },
  unbanUser: {
    method: 'DELETE',
    path: '/groups/:guid/bannedusers/:uid',
    summary: 'Unban a user',
    description:
      'Lifts a ban, so that the user can join again; it does not add them. An acting user must ' +
      'be at least a moderator.',
    tag: 'Banned Users',
    effect: 'write',
    requires: 'fullAccess',
    onBehalfOf: 'optional',
    device: 'acting',
    feature: 'unban',
    params,
    response: Data(Outcome),
    errors: [
      'ERR_GUID_NOT_FOUND',
      'ERR_UID_NOT_FOUND',
      'ERR_NOT_A_BANNED_USER',
      'ERR_GROUP_NOT_JOINED',
      'ERR_GROUP_NO_MODERATOR_SCOPE',
      'ERR_PERMISSION_DENIED',
    ],
  },
  listBannedUsers: {
    method: 'GET',
    path: '/groups/:guid/bannedusers',
    summary: 'List banned users',
    description:
      'Lists the users who are banned from a group. An acting user must be at least a ' +
      'moderator.',
    tag: 'Banned Users',
    effect: 'read',
    requires: 'fullAccess',
    onBehalfOf: 'optional',
    device: 'acting',
    feature: 'listBannedUsers',
    params: Type.Object({ guid: Guid }),
    query: Type.Object({ searchKey, ...cursorQuery }),
    response: CursorPage(User),
    errors: [
      'ERR_GUID_NOT_FOUND',
      'ERR_UID_NOT_FOUND',
      'ERR_GROUP_NOT_JOINED',
      'ERR_GROUP_NO_MODERATOR_SCOPE',
      'ERR_PERMISSION_DENIED',
    ],
  },
})
