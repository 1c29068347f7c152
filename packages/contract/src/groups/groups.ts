import { type Static, Type } from 'typebox'
import {
  CursorPage,
  cursorQuery,
  Data,
  Identifier,
  ItemOutcome,
  Metadata,
  OneOf,
  Outcome,
  searchKey,
  Tags,
  Timestamp,
  UnixTime,
  Url,
} from '../envelope.ts'
import { operations } from '../operation.ts'
import { Uid } from '../users/users.ts'

export const Guid = Identifier('Unique id of a group.')

export const GroupScope = OneOf('admin', 'moderator', 'participant')
export type GroupScope = Static<typeof GroupScope>

export const GroupType = OneOf('public', 'password', 'private')
export type GroupType = Static<typeof GroupType>

/** In filters `protected` means `password`: one published list spells it so. */
const TypeFilter = OneOf('public', 'password', 'private', 'protected')

export const Group = Type.Object({
  guid: Type.String(),
  name: Type.String(),
  type: GroupType,
  icon: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  metadata: Type.Optional(Metadata),
  owner: Type.String(),
  tags: Type.Optional(Type.Array(Type.String())),
  scope: Type.Optional(GroupScope),
  membersCount: Type.Integer({ minimum: 0 }),
  joinedAt: Type.Optional(Timestamp),
  conversationId: Type.String(),
  hasJoined: Type.Boolean(),
  createdAt: Timestamp,
  updatedAt: Type.Optional(Timestamp),
  updatedBy: Type.Optional(Type.String()),
})
export type Group = Static<typeof Group>

const Name = Type.String({ minLength: 1, maxLength: 100 })
const Password = Type.String({ maxLength: 100 })
const look = {
  icon: Type.Optional(Url),
  description: Type.Optional(Type.String({ maxLength: 255 })),
  metadata: Type.Optional(Metadata),
  owner: Type.Optional(Uid),
  tags: Type.Optional(Tags),
}
const params = Type.Object({ guid: Guid })
const newGroup = {
  guid: Guid,
  name: Name,
  type: GroupType,
  password: Type.Optional(Password),
  ...look,
}

/** A group that another call creates on its way. */
export const GroupDetails = Type.Object({ ...newGroup, createdAt: Type.Optional(UnixTime) })
export type GroupDetails = Static<typeof GroupDetails>

const Uids = Type.Array(Uid, { maxItems: 25 })
export const memberLists = {
  admins: Type.Optional(Uids),
  moderators: Type.Optional(Uids),
  participants: Type.Optional(Uids),
  usersToBan: Type.Optional(Uids),
}

/** A message has a group in it, so its schema cannot be named here. */
const ActionMessage = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  description: 'The message that tells the group of it, as `addMembers` answers it.',
})
const Added = Type.Optional(
  Type.Record(
    Type.String(),
    Type.Object({ ...ItemOutcome.properties, data: Type.Optional(ActionMessage) }),
  ),
)
const CreatedGroup = Type.Object({
  ...Group.properties,
  admins: Added,
  moderators: Added,
  participants: Added,
  usersToBan: Type.Optional(Type.Record(Type.String(), ItemOutcome)),
})

export const groups = operations({
  createGroup: {
    method: 'POST',
    path: '/groups',
    summary: 'Create a group',
    description:
      'Creates a group: `public` groups can be joined by anyone, `password` groups with the ' +
      'password, and `private` groups only by being added. `members` adds up to 25 users at ' +
      'once; the answer says what became of each. The acting user, or the user that a server ' +
      'names as `owner`, becomes its owner. Refused when the guid is taken.',
    tag: 'Groups',
    effect: 'write',
    requires: 'fullAccess',
    onBehalfOf: 'optional',
    device: 'acting',
    feature: 'createGroup',
    rate: 'core',
    body: Type.Object({ ...newGroup, members: Type.Optional(Type.Object(memberLists)) }),
    response: Data(CreatedGroup),
    errors: [
      'ERR_GUID_ALREADY_EXISTS',
      'ERR_EMPTY_GROUP_PASS',
      'ERR_UID_NOT_FOUND',
      'ERR_PERMISSION_DENIED',
      'ERR_NO_VACANCY',
    ],
  },
  listGroups: {
    method: 'GET',
    path: '/groups',
    summary: 'List groups',
    description:
      'Lists groups. An acting user sees public and password groups, and the private ones they ' +
      'are in; `hasJoined` shows only those they are in.',
    tag: 'Groups',
    effect: 'read',
    requires: 'fullAccess',
    onBehalfOf: 'optional',
    device: 'acting',
    feature: 'listGroups',
    query: Type.Object({
      searchKey,
      searchIn: Type.Optional(Type.Array(OneOf('name', 'guid'), { maxItems: 2 })),
      sortBy: Type.Optional(OneOf('name', 'guid', 'createdAt')),
      sortOrder: Type.Optional(OneOf('asc', 'desc')),
      affix: Type.Optional(OneOf('append', 'prepend')),
      updatedAt: Type.Optional(UnixTime),
      withTags: Type.Optional(Type.Boolean()),
      tags: Type.Optional(Tags),
      type: Type.Optional(TypeFilter),
      types: Type.Optional(Type.Array(TypeFilter, { maxItems: 4 })),
      hasJoined: Type.Optional(Type.Boolean()),
      ...cursorQuery,
    }),
    response: CursorPage(Group),
    errors: ['ERR_UID_NOT_FOUND', 'ERR_PERMISSION_DENIED'],
  },
  getGroup: {
    method: 'GET',
    path: '/groups/:guid',
    summary: 'Get a group',
    description:
      'Answers one group. For an acting user who is not a member a private group does not ' +
      'exist.',
    tag: 'Groups',
    effect: 'read',
    requires: 'fullAccess',
    onBehalfOf: 'optional',
    device: 'acting',
    feature: 'getGroup',
    params,
    response: Data(Group),
    errors: ['ERR_GUID_NOT_FOUND', 'ERR_UID_NOT_FOUND', 'ERR_PERMISSION_DENIED'],
  },
  updateGroup: {
    method: 'PUT',
    alsoBy: ['PATCH'],
    path: '/groups/:guid',
    summary: 'Update a group',
    description:
      'Changes a group; fields that are not sent stay as they are, and `unset` empties fields. ' +
      'An acting user must be at least a moderator. Only a server can also change the owner ' +
      'here.',
    tag: 'Groups',
    effect: 'write',
    requires: 'fullAccess',
    onBehalfOf: 'optional',
    device: 'acting',
    feature: 'updateGroup',
    params,
    body: Type.Object({
      name: Type.Optional(Name),
      type: Type.Optional(GroupType),
      password: Type.Optional(Password),
      ...look,
      unset: Type.Optional(Type.Array(OneOf('icon', 'description', 'metadata'), { maxItems: 3 })),
    }),
    response: Data(Group),
    errors: [
      'ERR_GUID_NOT_FOUND',
      'ERR_UID_NOT_FOUND',
      'ERR_EMPTY_GROUP_PASS',
      'ERR_GROUP_NOT_JOINED',
      'ERR_GROUP_NO_MODERATOR_SCOPE',
      'ERR_PERMISSION_DENIED',
      'ERR_BANNED_GROUPMEMBER',
      'ERR_NO_VACANCY',
    ],
  },
  deleteGroup: {
    method: 'DELETE',
    path: '/groups/:guid',
    summary: 'Delete a group',
    description:
      'Deletes a group with its members and its messages, for ever. An acting user must be an ' +
      'admin or the owner.',
    tag: 'Groups',
    effect: 'write',
    audit: true,
    requires: 'fullAccess',
    onBehalfOf: 'optional',
    device: 'acting',
    feature: 'deleteGroup',
    params,
    response: Data(Outcome),
    errors: [
      'ERR_GUID_NOT_FOUND',
      'ERR_UID_NOT_FOUND',
      'ERR_GROUP_NOT_JOINED',
      'ERR_GROUP_NO_ADMIN_SCOPE',
      'ERR_PERMISSION_DENIED',
      'ERR_UNDER_HOLD',
    ],
  },
  transferGroupOwnership: {
    method: 'PATCH',
    path: '/groups/:guid/owner',
    summary: 'Hand a group over to another owner',
    description:
      'Makes another user the owner of a group. The new owner becomes an admin, and is added if ' +
      'they are no member; the old one stays a member. An acting user must be the owner.',
    tag: 'Groups',
    effect: 'write',
    audit: true,
    requires: 'fullAccess',
    onBehalfOf: 'optional',
    device: 'acting',
    feature: 'patchOwner',
    params,
    body: Type.Object({ owner: Uid }),
    response: Data(Group),
    errors: [
      'ERR_GUID_NOT_FOUND',
      'ERR_UID_NOT_FOUND',
      'ERR_GROUP_NOT_JOINED',
      'ERR_GROUP_NO_CLEARANCE',
      'ERR_BANNED_GROUPMEMBER',
      'ERR_NO_VACANCY',
      'ERR_PERMISSION_DENIED',
    ],
  },
})
