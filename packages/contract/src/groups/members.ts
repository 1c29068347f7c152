import { type Static, Type } from 'typebox'
import { Message } from '../conversations/entries.ts'
import {
  CursorPage,
  cursorQuery,
  Data,
  ItemOutcome,
  Outcome,
  searchKey,
  Timestamp,
} from '../envelope.ts'
import { operations, withDefault } from '../operation.ts'
import { Uid, User, UserStatus } from '../users/users.ts'
import { GroupScope, Guid, memberLists } from './groups.ts'

export const Member = Type.Object({
  ...User.properties,
  scope: GroupScope,
  joinedAt: Timestamp,
})
export type Member = Static<typeof Member>

const group = Type.Object({ guid: Guid })
const member = Type.Object({ guid: Guid, uid: Uid })

const Added = Type.Optional(
  Type.Record(
    Type.String(),
    Type.Object({ ...ItemOutcome.properties, data: Type.Optional(Message) }),
  ),
)

export const members = operations({
  addMembers: {
    method: 'POST',
    path: '/groups/:guid/members',
    summary: 'Add members; without lists, join as the acting user',
    description:
      'Adds up to 25 users to a group as admins, moderators or participants, or bans them; an ' +
      'acting user must be an admin. The answer says what became of each. Without any list the ' +
      'acting user joins: a private group refuses that, and a password group asks for ' +
      '`password`.',
    tag: 'Group Members',
    effect: 'write',
    requires: 'fullAccess',
    onBehalfOf: 'optional',
    device: 'acting',
    rate: 'core',
    params: group,
    body: Type.Object({
      ...memberLists,
      password: Type.Optional(
        Type.String({ maxLength: 100, description: 'To join a password group.' }),
      ),
    }),
    response: Data(
      Type.Object({
        admins: Added,
        moderators: Added,
        participants: Added,
        usersToBan: Type.Optional(Type.Record(Type.String(), ItemOutcome)),
      }),
    ),
    errors: [
      'ERR_GUID_NOT_FOUND',
      'ERR_UID_NOT_FOUND',
      'ERR_PERMISSION_DENIED',
      'ERR_GROUP_NOT_JOINED',
      'ERR_GROUP_NO_ADMIN_SCOPE',
      'ERR_ALREADY_JOINED',
      'ERR_BANNED_GROUPMEMBER',
      'ERR_GROUP_JOIN_NOT_ALLOWED',
      'ERR_EMPTY_GROUP_PASS',
      'ERR_WRONG_GROUP_PASS',
      'ERR_NO_VACANCY',
    ],
  },
  leaveGroup: {
    method: 'DELETE',
    path: '/groups/:guid/members',
    summary: 'Leave a group as the acting user',
    description: 'Removes the acting user from a group. The owner must hand the group over first.',
    tag: 'Group Members',
    effect: 'write',
    requires: 'fullAccess',
    onBehalfOf: 'required',
    device: 'acting',
    feature: 'leaveGroup',
    rate: 'core',
    params: group,
    response: Data(Outcome),
    errors: [
      'ERR_GUID_NOT_FOUND',
      'ERR_UID_NOT_FOUND',
      'ERR_GROUP_NOT_JOINED',
      'ERR_GROUP_NO_CLEARANCE',
      'ERR_PERMISSION_DENIED',
    ],
  },
  listMembers: {
    method: 'GET',
    path: '/groups/:guid/members',
    summary: 'List the members of a group',
    description:
      'Lists the members of a group with their scopes. An acting user must be a member, and the ' +
      'permissions of their scope or role may show them only a part.',
    tag: 'Group Members',
    effect: 'read',
    requires: 'fullAccess',
    onBehalfOf: 'optional',
    device: 'acting',
    feature: 'listGroupMembers',
    params: group,
    query: Type.Object({
      status: Type.Optional(UserStatus),
      scopes: Type.Optional(Type.Array(GroupScope, { maxItems: 3 })),
      searchKey,
      ...cursorQuery,
    }),
    response: CursorPage(Member),
    errors: [
      'ERR_GUID_NOT_FOUND',
      'ERR_UID_NOT_FOUND',
      'ERR_GROUP_NOT_JOINED',
      'ERR_PERMISSION_DENIED',
    ],
  },
  changeMemberScope: {
    method: 'PUT',
    path: '/groups/:guid/members/:uid',
    summary: "Change a member's scope",
    description:
      'Makes a member an admin, moderator or participant. An acting moderator can only move ' +
      'participants and moderators up to moderator; the scope of the owner stays, and nobody ' +
      'changes their own.',
    tag: 'Group Members',
    effect: 'write',
    requires: 'fullAccess',
    onBehalfOf: 'optional',
    device: 'acting',
    feature: 'changeScope',
    params: member,
    body: Type.Object({ scope: withDefault(GroupScope, 'participant') }),
    response: Data(
      Type.Object({
        guid: Type.String(),
        uid: Type.String(),
        scope: GroupScope,
        joinedAt: Timestamp,
      }),
    ),
    errors: [
      'ERR_GUID_NOT_FOUND',
      'ERR_UID_NOT_FOUND',
      'ERR_NOT_A_MEMBER',
      'ERR_SAME_SCOPE',
      'ERR_GROUP_NOT_JOINED',
      'ERR_GROUP_NO_SELF_ACTION',
      'ERR_GROUP_NO_SCOPE_CLEARANCE',
      'ERR_PERMISSION_DENIED',
    ],
  },
  kickMember: {
    method: 'DELETE',
    path: '/groups/:guid/members/:uid',
    summary: 'Kick a member',
    description:
      'Removes a member from a group; they can join again. Moderators can remove participants, ' +
      'admins everyone but the owner.',
    tag: 'Group Members',
    effect: 'write',
    requires: 'fullAccess',
    onBehalfOf: 'optional',
    device: 'acting',
    feature: 'kickMember',
    params: member,
    response: Data(Outcome),
    errors: [
      'ERR_GUID_NOT_FOUND',
      'ERR_UID_NOT_FOUND',
      'ERR_NOT_A_MEMBER',
      'ERR_GROUP_NOT_JOINED',
      'ERR_GROUP_NO_SELF_ACTION',
      'ERR_GROUP_NO_CLEARANCE',
      'ERR_PERMISSION_DENIED',
    ],
  },
})
