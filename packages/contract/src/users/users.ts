import { type Static, Type } from 'typebox'
import {
  CursorPage,
  cursorQuery,
  Data,
  Identifier,
  IdentifierAsSent,
  Metadata,
  OneOf,
  Outcome,
  searchKey,
  Tags,
  Timestamp,
  UnixTime,
  Url,
} from '../envelope.ts'
import { operations, withDefault } from '../operation.ts'
import { RoleId } from '../roles/roles.ts'

export const Uid = Identifier('Unique id of a user.')

export const UserStatus = OneOf('available', 'offline')

/** Blocking as the viewer sees it: present only where it is so. */
const blockMarks = {
  hasBlockedMe: Type.Optional(Type.Boolean()),
  blockedByMe: Type.Optional(Type.Boolean()),
  blockedByMeAt: Type.Optional(Timestamp),
  blockedAt: Type.Optional(Timestamp),
}

export const User = Type.Object({
  uid: Type.String(),
  name: Type.String(),
  avatar: Type.Optional(Type.String()),
  link: Type.Optional(Type.String()),
  role: Type.String(),
  status: UserStatus,
  statusMessage: Type.Optional(Type.String()),
  metadata: Type.Optional(Metadata),
  tags: Type.Optional(Type.Array(Type.String())),
  createdAt: Timestamp,
  updatedAt: Type.Optional(Timestamp),
  lastActiveAt: Type.Optional(Timestamp),
  deactivatedAt: Type.Optional(Timestamp),
  conversationId: Type.Optional(
    Type.String({ description: 'Of the pair viewer and user; present when the viewer is known.' }),
  ),
  ...blockMarks,
})
export type User = Static<typeof User>

const UserWithToken = Type.Object({
  ...User.properties,
  authToken: Type.Optional(Type.String({ description: 'Only with `withAuthToken`.' })),
})

const Name = Type.String({ minLength: 1, maxLength: 100 })
const profile = {
  avatar: Type.Optional(Url),
  link: Type.Optional(Url),
  role: Type.Optional(RoleId),
  statusMessage: Type.Optional(Type.String({ maxLength: 255 })),
  metadata: Type.Optional(Metadata),
  tags: Type.Optional(Tags),
}

/** What users change of themselves: anything but their role. */
const { role: _, ...own } = profile
export const ownProfile = Type.Object({
  name: Type.Optional(Name),
  ...own,
  unset: Type.Optional(Type.Array(OneOf('avatar', 'link', 'metadata'), { maxItems: 3 })),
})

/** Someone whom another call creates on its way. */
export const UserDetails = Type.Object({
  uid: Uid,
  name: Name,
  ...profile,
  createdAt: Type.Optional(UnixTime),
})
export type UserDetails = Static<typeof UserDetails>

const Uids = Type.Array(IdentifierAsSent('Unique id of a user.'), { minItems: 1, maxItems: 100 })
/** Left out where it would be empty. */
const UidList = Type.Optional(Type.Array(Type.String()))

export const users = operations({
  createUser: {
    method: 'POST',
    path: '/users',
    summary: 'Create a user',
    description:
      'Creates a user of the app under a uid of your choice, which is kept in lower case. With ' +
      '`withAuthToken` the answer also holds an auth token for the first device. Refused when ' +
      'the uid is taken, even by a deactivated user; a key of the scope `authOnly` can only ' +
      'give the role `default`, unless a setting of the app allows more.',
    tag: 'Users',
    effect: 'write',
    requires: 'authOnly',
    rate: 'core',
    body: Type.Object({
      uid: Uid,
      name: Name,
      ...profile,
      withAuthToken: Type.Optional(Type.Boolean()),
    }),
    response: Data(UserWithToken),
    errors: ['ERR_UID_ALREADY_EXISTS'],
  },
  listUsers: {
    method: 'GET',
    path: '/users',
    summary: 'List users',
    description:
      'Lists users, sorted by name; for an acting user only those whom their role lets them ' +
      'see. `searchKey` finds the beginning of a name or uid. Only the server of the app sees ' +
      'deactivated users, unless a setting allows it to devices.',
    tag: 'Users',
    effect: 'read',
    requires: 'fullAccess',
    onBehalfOf: 'optional',
    device: 'acting',
    feature: 'listUsers',
    query: Type.Object({
      searchKey,
      searchIn: Type.Optional(Type.Array(OneOf('name', 'uid'), { maxItems: 2 })),
      status: Type.Optional(UserStatus),
      count: Type.Optional(Type.Boolean({ description: 'Compute the exact total.' })),
      role: Type.Optional(RoleId),
      roles: Type.Optional(Type.Array(RoleId, { maxItems: 25 })),
      uids: Type.Optional(Type.Array(Uid, { maxItems: 100, description: 'Only these.' })),
      tags: Type.Optional(Tags),
      withTags: Type.Optional(Type.Boolean()),
      onlyDeactivated: Type.Optional(Type.Boolean()),
      withDeactivated: Type.Optional(Type.Boolean()),
      ...cursorQuery,
    }),
    response: CursorPage(User),
    errors: ['ERR_PERMISSION_DENIED', 'ERR_UID_NOT_FOUND'],
  },
  getUser: {
    method: 'GET',
    path: '/users/:uid',
    summary: 'Get a user',
    description:
      'Answers one user. An acting user also sees whether one of the two has blocked the other, ' +
      'and the id of their conversation; a role may restrict users to the details of friends.',
    tag: 'Users',
    effect: 'read',
    requires: 'fullAccess',
    onBehalfOf: 'optional',
    device: 'acting',
    feature: 'getUser',
    params: Type.Object({ uid: Uid }),
    response: Data(User),
    errors: ['ERR_UID_NOT_FOUND', 'ERR_PERMISSION_DENIED'],
  },
  updateUser: {
    method: 'PUT',
    alsoBy: ['PATCH', 'POST'],
    path: '/users/:uid',
    summary: 'Update a user',
    description:
      'Changes the profile or the role of a user; fields that are not sent stay as they are, ' +
      'and `unset` empties fields. Refused when the user or the role does not exist.',
    tag: 'Users',
    effect: 'write',
    requires: 'fullAccess',
    params: Type.Object({ uid: Uid }),
    body: Type.Object({ ...ownProfile.properties, role: profile.role }),
    response: Data(User),
    errors: ['ERR_UID_NOT_FOUND'],
  },
  deleteUser: {
    method: 'DELETE',
    path: '/users/:uid',
    summary: 'Delete a user',
    description:
      'Deactivates a user, who then cannot connect or be written to; their messages stay. With ' +
      '`permanent` the user and everything kept about them are deleted for ever, and groups ' +
      'they own are handed on. Auth tokens end in both cases.',
    tag: 'Users',
    effect: 'write',
    audit: true,
    requires: 'fullAccess',
    rate: 'core',
    params: Type.Object({ uid: Uid }),
    body: Type.Object({ permanent: withDefault(Type.Boolean(), false) }),
    response: Data(Type.Object({ ...Outcome.properties, deactivatedUids: UidList })),
    errors: ['ERR_UID_NOT_FOUND', 'ERR_UNDER_HOLD'],
  },
  deactivateUsers: {
    method: 'DELETE',
    path: '/users',
    summary: 'Deactivate users',
    description:
      'Deactivates up to 100 users: they cannot connect any more, their auth tokens end, their ' +
      'messages stay. The answer sorts the uids into those deactivated now, those that were so ' +
      'already, and those not found.',
    tag: 'Users',
    effect: 'write',
    audit: true,
    requires: 'fullAccess',
    body: Type.Object({ uidsToDeactivate: Uids }),
    response: Data(
      Type.Object({
        deactivatedUids: UidList,
        alreadyDeactivatedUids: UidList,
        notFound: UidList,
      }),
    ),
    errors: [],
  },
  reactivateUsers: {
    method: 'PUT',
    path: '/users',
    summary: 'Reactivate users',
    description:
      'Makes up to 100 deactivated users active again. Their old auth tokens stay invalid. The ' +
      'answer sorts the uids into those reactivated, those that were active, and those not ' +
      'found.',
    tag: 'Users',
    effect: 'write',
    audit: true,
    requires: 'fullAccess',
    body: Type.Object({ uidsToActivate: Uids }),
    response: Data(
      Type.Object({
        reactivatedUids: UidList,
        nonDeactivatedUids: UidList,
        notFound: UidList,
      }),
    ),
    errors: [],
  },
})
