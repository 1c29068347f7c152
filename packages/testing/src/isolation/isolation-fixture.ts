import type { Command } from './isolation-commands.ts'

const inBoth: readonly Command[] = [
  { name: 'createRole', input: { body: { role: 'staff', name: 'Staff $marker' } } },
  {
    name: 'restrictFeatures',
    input: { params: { role: 'staff' }, body: { featuresToRestrict: ['logout'] } },
  },
  { name: 'createUser', input: { body: { uid: 'ada', name: 'Ada $marker', role: 'staff' } } },
  { name: 'createUser', input: { body: { uid: 'bob', name: 'Bob $marker', withAuthToken: true } } },
  { name: 'addFriends', input: { params: { uid: 'ada' }, body: { accepted: ['bob'] } } },
  { name: 'blockUsers', input: { params: { uid: 'ada' }, body: { blockedUids: ['bob'] } } },
  { name: 'createApiKey', input: { body: { name: 'Third $marker' } } },
  {
    name: 'createGroup',
    input: {
      body: {
        guid: 'tea',
        name: 'Tea $marker',
        type: 'public',
        owner: 'ada',
        tags: ['$marker'],
        members: { participants: ['bob'] },
      },
    },
  },
]

/** What the apps have before chance takes over: mostly the same, and each something of its own. */
export const prelude: Readonly<Record<'a' | 'b', readonly Command[]>> = {
  a: [
    ...inBoth,
    { name: 'createRole', input: { body: { role: 'guest', name: 'Guest $marker' } } },
    { name: 'createUser', input: { body: { uid: 'zoe', name: 'Zoe $marker', role: 'guest' } } },
    {
      name: 'createGroup',
      input: { body: { guid: 'den', name: 'Den $marker', type: 'private', owner: 'bob' } },
    },
  ],
  b: [
    ...inBoth,
    { name: 'createUser', input: { body: { uid: 'eve', name: 'Eve $marker' } } },
    { name: 'banUser', input: { params: { guid: 'tea', uid: 'eve' } } },
    {
      name: 'setScopePermissions',
      input: {
        params: { guid: 'tea', scope: 'participant' },
        body: { permissions: { listMembers: 'deny' } },
      },
    },
    {
      name: 'mapAppSettings',
      input: {
        params: { appId: '$appId' },
        body: { settings: { 'apiKeys.authOnlyCreatesUsers': false } },
      },
    },
    {
      name: 'restrictFeatures',
      input: { params: { role: 'staff' }, body: { featuresToRestrict: ['listUsers'] } },
    },
  ],
}

/** What each app is asked in the end: whatever was changed shows in one of these, and is undone. */
export const epilogue: readonly Command[] = [
  { name: 'listUsers', input: { query: { withDeactivated: true, withTags: true } } },
  { name: 'listUsers', input: { query: { count: true, searchKey: 'a' }, onBehalfOf: 'ada' } },
  { name: 'listAuthTokens', input: { params: { uid: 'bob' } } },
  { name: 'listFriends', input: { params: { uid: 'ada' } } },
  { name: 'listBlockedUsers', input: { params: { uid: 'ada' }, query: { direction: 'both' } } },
  { name: 'listRoles', input: {} },
  { name: 'listRestrictedFeatures', input: { params: { role: 'staff' } } },
  { name: 'listRolePermissions', input: { params: { role: 'staff' }, query: { perPage: 5 } } },
  { name: 'listApiKeys', input: {} },
  { name: 'listGroups', input: { query: { withTags: true } } },
  { name: 'listGroups', input: { onBehalfOf: 'bob' } },
  { name: 'listMembers', input: { params: { guid: 'tea' } } },
  { name: 'listMembers', input: { params: { guid: 'tea' }, onBehalfOf: 'bob' } },
  { name: 'listBannedUsers', input: { params: { guid: 'tea' } } },
  { name: 'listScopePermissions', input: { params: { guid: 'tea', scope: 'participant' } } },
  { name: 'listConversations', input: { query: { withTags: true } } },
  { name: 'listConversations', input: { query: { perPage: 1 }, onBehalfOf: 'bob' } },
  { name: 'listAppSettings', input: { params: { appId: '$appId' } } },
  { name: 'createAuthToken', input: { params: { uid: 'bob' }, body: {} } },
  { name: 'unblockUsers', input: { params: { uid: 'ada' }, body: { blockedUids: ['bob'] } } },
  { name: 'removeFriends', input: { params: { uid: 'ada' }, body: { friends: ['bob'] } } },
]

/** And, with its auth-only key, the one call that a setting takes away from that key. */
export const lastByAuthKey: Command = {
  name: 'createUser',
  input: { body: { uid: 'kim', name: 'Kim $marker' } },
}
