import type { ErrorText } from './text.ts'

/** Users, friends, blocks, groups and their members. */
export const peopleErrors = {
  ERR_UID_NOT_FOUND: {
    status: 404,
    message: 'The user {uid} does not exist.',
    fix: 'Create the user, or reactivate it if it was deactivated.',
  },
  ERR_UID_ALREADY_EXISTS: {
    status: 400,
    message: 'The user {uid} exists already.',
    fix: 'Choose another uid, or change this user with PUT /users/{uid}. A deactivated user keeps its uid.',
  },
  ERR_ALREADY_FRIEND: {
    status: 409,
    message: 'The user {uid} is a friend already.',
    fix: 'There is nothing to do.',
  },
  ERR_NOT_A_FRIEND: {
    status: 404,
    message: 'The user {uid} is not a friend.',
    fix: 'GET /users/<uid>/friends lists the friends of a user.',
  },
  ERR_CANNOT_FORM_SELF_RELATION: {
    status: 400,
    message: 'A user cannot be their own friend.',
    fix: 'Leave the uid of the path out of the list of friends.',
  },
  ERR_CANNOT_BLOCK_SELF: {
    status: 400,
    message: 'Users cannot block themselves.',
    fix: 'Leave the uid of the path out of blockedUids.',
  },
  ERR_GUID_NOT_FOUND: {
    status: 404,
    message: 'The group {guid} does not exist.',
    fix: 'Check the guid; POST /groups creates a group. Users do not see private groups that they are not in.',
  },
  ERR_GUID_ALREADY_EXISTS: {
    status: 400,
    message: 'The group {guid} exists already.',
    fix: 'Choose another guid, or change this group with PUT /groups/{guid}.',
  },
  ERR_EMPTY_GROUP_PASS: {
    status: 400,
    message: 'A password group needs a password.',
    fix: 'Send password, or choose the type public or private.',
  },
  ERR_WRONG_GROUP_PASS: {
    status: 403,
    message: 'The password of the group is wrong.',
    fix: 'Ask the user again. The server of the app can add members without the password.',
  },
  ERR_NOT_A_MEMBER: {
    status: 404,
    message: 'The user {uid} is not a member of {guid}.',
    fix: 'Add the user with POST /groups/{guid}/members first.',
  },
  ERR_ALREADY_JOINED: {
    status: 409,
    message: 'The user {uid} is a member of {guid} already.',
    fix: 'There is nothing to do; PUT /groups/{guid}/members/{uid} changes the scope of a member.',
  },
  ERR_GROUP_NOT_JOINED: {
    status: 403,
    message: 'The user {uid} is not a member of {guid}.',
    fix: 'Let the user join, or add them with POST /groups/{guid}/members, before they act in the group.',
  },
  ERR_GROUP_JOIN_NOT_ALLOWED: {
    status: 403,
    message: 'The group {guid} is private: only an admin or moderator can add members.',
    fix: 'Let a member with the right to do so, or the server of the app, add the user.',
  },
  ERR_NO_VACANCY: {
    status: 403,
    message: 'The group {guid} is full: {limit} members.',
    fix: 'Remove members first, or ask the operator whether groups of the app may have more.',
  },
  ERR_SAME_SCOPE: {
    status: 403,
    message: 'The user {uid} has the scope {scope} already.',
    fix: 'There is nothing to do.',
  },
  ERR_NOT_A_BANNED_USER: {
    status: 404,
    message: 'The user {uid} is not banned from {guid}.',
    fix: 'GET /groups/{guid}/bannedusers lists who is.',
  },
  ERR_BANNED_GROUPMEMBER: {
    status: 403,
    message: 'The user {uid} is banned from {guid}.',
    fix: 'Lift the ban first: DELETE /groups/{guid}/bannedusers/{uid}.',
  },
  ERR_ALREADY_BANNED: {
    status: 409,
    message: 'The user {uid} is banned from {guid} already.',
    fix: 'There is nothing to do.',
  },
  ERR_GROUP_NO_CLEARANCE: {
    status: 403,
    message: 'The scope of the acting user in the group does not allow that.',
    fix: '{what}',
  },
  ERR_GROUP_NO_ADMIN_SCOPE: {
    status: 403,
    message: 'Only an admin of the group may do that.',
    fix: 'Act as an admin or the owner, or call without onBehalfOf, as the server of the app.',
  },
  ERR_GROUP_NO_MODERATOR_SCOPE: {
    status: 403,
    message: 'Only a moderator or an admin of the group may do that.',
    fix: 'Act as one of them or the owner, or call without onBehalfOf, as the server of the app.',
  },
  ERR_GROUP_NO_SCOPE_CLEARANCE: {
    status: 403,
    message: 'The acting user may not give or take that scope.',
    fix: 'Moderators may give and take scopes up to moderator, admins all. The scope of the owner stays: hand the group over first.',
  },
  ERR_GROUP_NO_SELF_ACTION: {
    status: 403,
    message: 'The acting user and the other user are the same.',
    fix: 'Let another member with the right to do so act on this user. To leave, call DELETE /groups/<guid>/members.',
  },
  ERR_UNDER_HOLD: {
    status: 409,
    message: 'A legal hold keeps {what}.',
    fix: 'GET /holds shows it, with its reason. Release it first, with DELETE /holds/<holdId>, if you may.',
  },
  ERR_HOLD_NOT_FOUND: {
    status: 404,
    message: 'The hold {holdId} does not exist.',
    fix: 'GET /holds lists them.',
  },
  ERR_ERASURE_NOT_FOUND: {
    status: 404,
    message: 'The erasure {erasureId} does not exist.',
    fix: 'GET /erasures lists them.',
  },
  ERR_RETENTION_NOT_FOUND: {
    status: 404,
    message: 'The retention {retentionId} does not exist.',
    fix: 'GET /retention lists them.',
  },
} as const satisfies Record<string, ErrorText>
