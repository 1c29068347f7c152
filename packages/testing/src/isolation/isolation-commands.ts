import { type Api, api } from '@chorale/contract/api'
import type { CallInput } from '@chorale/contract/operation'
import fc from 'fast-check'

/** Who takes part. A new noun is added here; the compiler then names its operations below. */
const nouns = [
  'appSettings',
  'apiKeys',
  'roles',
  'restrictedFeatures',
  'rolePermissions',
  'users',
  'authTokens',
  'friends',
  'blockedUsers',
  'groups',
  'members',
  'bannedUsers',
  'scopePermissions',
  'conversations',
  'positions',
  'messages',
  'edits',
  'reactions',
  'threads',
  'interactions',
  'pins',
  'saves',
  'receipts',
  'notificationSettings',
  'notificationPreferences',
  'mutes',
  'timezones',
  'pushTokens',
  'contactDetails',
  'issuers',
] as const

type Noun = (typeof nouns)[number]
type NamesOf<T> = T extends unknown ? keyof T : never
type Name = NamesOf<(typeof api)[Noun]>
type Input<N extends Name> = CallInput<Api[N]>

export type Command = { readonly [N in Name]: { readonly name: N; readonly input: Input<N> } }[Name]

// Few words, so that calls meet each other's traces; the same in every app, so that a forgotten
// app id finds something. `$marker` is the app's own, `$key1` the second key that it was given,
// `$theirKey0` one that the other app was given.
const uid = fc.constantFrom('ada', 'bob', 'eve', 'zoe')
const uids = fc.uniqueArray(uid, { minLength: 1, maxLength: 3 })
const role = fc.constantFrom('default', 'staff', 'guest')
const name = fc.constantFrom('Ada $marker', 'Bob $marker', 'Bo $marker', 'Zoe $marker')
const searchKey = fc.constantFrom('a', 'bo', 'zoe', 'ADA', '%', 'bob $marker')
const metadata = fc.constantFrom({ of: '$marker' }, { '@private': { of: '$marker' } }, {})
const tags = fc.uniqueArray(fc.constantFrom('red', 'blue', '$marker'), { maxLength: 2 })
const feature = fc.constantFrom('listUsers', 'getUser', 'u.logout', 'unheardOf')
const features = fc.uniqueArray(feature, { minLength: 1, maxLength: 3 })
const permission = fc.constantFrom('listUsers', 'listUsers.mode', 'getUserDetails.mode', 'unknown')
const roleSettings = fc.constantFrom({ listUsers: 'friendsOnly' } as const, {})
const scope = fc.constantFrom('authOnly' as const, 'fullAccess' as const)
const apiKey = fc.constantFrom('$key0', '$key1', '$key2', '$key3', '$theirKey0', '$theirKey2')
const authToken = fc.constantFrom('$token0', '$token1', '$token2', '$theirToken0')
const pushToken = fc.constantFrom('shared', 'of-$marker')
const settings = fc.dictionary(
  fc.constantFrom(
    'apiKeys.authOnlyCreatesUsers',
    'core.conversations.updateOnGroupActions',
    'core.threads.updateOnMessageActions',
    'unknown',
  ),
  fc.boolean(),
)
const flag = fc.boolean()
const issuer = fc.constantFrom('https://a.example', 'https://$marker.example')
const page = { perPage: fc.integer({ min: 1, max: 3 }), page: fc.integer({ min: 1, max: 2 }) }
const cursor = fc.constantFrom('$cursor0', '$cursor1')

/** Any of the fields, or none. */
function some<T extends Record<string, fc.Arbitrary<unknown>>>(fields: T) {
  return fc.record(fields, { requiredKeys: [] })
}

const given = fc.record
const ofUser = given({ uid })
const ofRole = given({ role })
const ofIssuer = given({ issuerId: role })
const ofToken = given({ uid, authToken })
const ofApp = fc.constant({ appId: '$appId' })
const paged = some(page)
const listed = some({ ...page, searchKey, cursor })
const guid = fc.constantFrom('tea', 'den', 'pub')
const groupScope = fc.constantFrom('admin' as const, 'moderator' as const, 'participant' as const)
// Checking a password takes long on purpose, so there are few.
const groupType = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('public' as const, 'private' as const) },
  fc.constant('password' as const),
)
const look = {
  name,
  type: groupType,
  password: fc.constant('sesame'),
  owner: uid,
  metadata,
  tags,
  description: fc.constant('$marker'),
}
const memberLists = some({ admins: uids, moderators: uids, participants: uids, usersToBan: uids })
const scopePermission = fc.constantFrom('sendMessage', 'listMembers', 'unknown')
const scopePermissions = fc.dictionary(scopePermission, fc.constantFrom('allow', 'deny', 'friends'))
const messageId = fc.constantFrom('$message0', '$message1', '$message2', '$theirMessage0')
const upTo = some({ messageId })
const behind = given({ messageId })
const conversationId = fc.constantFrom('group_tea', 'group_den', 'ada_user_bob')
const said = fc.constantFrom({ text: 'of $marker' }, { text: '<@uid:ada> $marker' }, {})
const newMessage = fc.oneof(
  given({ receiver: uid, receiverType: fc.constant('user' as const), data: said }),
  given({ receiver: guid, receiverType: fc.constant('group' as const), data: said }),
  given({
    receiver: guid,
    receiverType: fc.constant('group' as const),
    category: fc.constant('interactive' as const),
    type: fc.constant('form'),
    data: fc.constant({ interactiveData: { submitElement: { elementId: 'cup' } } }),
  }),
)
const talk = given({ id: fc.constantFrom('ada', 'tea'), type: fc.constant('group' as const) })
const talks = given({ conversations: fc.array(talk, { minLength: 1, maxLength: 2 }) })
const templates = given({ textMessageTemplateDefault: given({ body: fc.constant('$marker') }) })
const ofMessage = given({ id: messageId })
const reaction = fc.constantFrom('up', '$marker')
const ofReaction = given({ id: messageId, reaction })
const near = {
  limit: fc.integer({ min: 1, max: 3 }),
  id: fc.constantFrom('$message0', '$message1'),
}
const ofGroup = given({ guid })
const ofMember = given({ guid, uid })
const ofScope = given({ guid, scope: groupScope })
const profile = { role, metadata, tags, statusMessage: fc.constant('$marker') }

type Fields<T> = { [K in keyof T]: fc.Arbitrary<T[K]> }

function as<T extends object>(fields: Fields<T>): fc.Arbitrary<T & { onBehalfOf: string }> {
  return fc.tuple(fc.record<T>(fields), uid).map(([call, onBehalfOf]) => ({ ...call, onBehalfOf }))
}

/** On behalf of somebody, or of nobody. */
function perhapsAs<T extends object>(fields: Fields<T>): fc.Arbitrary<T> {
  return fc.oneof(fc.record<T>(fields), as(fields))
}

/** How each operation may be called. */
const inputs: { readonly [N in Name]: fc.Arbitrary<Input<N>> } = {
  createUser: given({
    body: fc.record(
      { uid, name, ...profile, withAuthToken: flag },
      { requiredKeys: ['uid', 'name'] },
    ),
  }),
  listUsers: fc.record(
    {
      query: some({
        ...page,
        searchKey,
        cursor,
        role,
        roles: fc.uniqueArray(role, { minLength: 1 }),
        tags: fc.constantFrom(['red'], ['blue', '$marker']),
        status: fc.constantFrom('available' as const, 'offline' as const),
        count: flag,
        withTags: flag,
        onlyDeactivated: flag,
        withDeactivated: flag,
      }),
      onBehalfOf: uid,
    },
    { requiredKeys: ['query'] },
  ),
  getUser: fc.record({ params: ofUser, onBehalfOf: uid }, { requiredKeys: ['params'] }),
  updateUser: given({ params: ofUser, body: some({ name, ...profile }) }),
  deleteUser: given({ params: ofUser, body: some({ permanent: flag }) }),
  deactivateUsers: given({ body: given({ uidsToDeactivate: uids }) }),
  reactivateUsers: given({ body: given({ uidsToActivate: uids }) }),

  createAuthToken: given({ params: ofUser, body: some({ force: flag }) }),
  listAuthTokens: given({ params: ofUser, query: paged }),
  deleteAuthTokens: given({ params: ofUser }),
  getAuthToken: given({ params: ofToken }),
  updateAuthToken: given({
    params: ofToken,
    body: some({ platform: fc.constantFrom('ios $marker', 'web'), appInfo: metadata }),
  }),
  deleteAuthToken: given({ params: ofToken }),

  addFriends: given({ params: ofUser, body: given({ accepted: uids }) }),
  listFriends: given({ params: ofUser, query: listed }),
  removeFriends: given({ params: ofUser, body: given({ friends: uids }) }),

  blockUsers: given({ params: ofUser, body: given({ blockedUids: uids }) }),
  unblockUsers: given({ params: ofUser, body: given({ blockedUids: uids }) }),
  listBlockedUsers: given({
    params: ofUser,
    query: some({
      ...page,
      searchKey,
      direction: fc.constantFrom('blockedByMe' as const, 'hasBlockedMe' as const, 'both' as const),
    }),
  }),

  createRole: given({
    body: fc.record(
      { role, name, metadata, settings: roleSettings },
      { requiredKeys: ['role', 'name'] },
    ),
  }),
  listRoles: given({ query: paged }),
  getRole: given({ params: ofRole }),
  updateRole: given({ params: ofRole, body: some({ name, metadata, settings: roleSettings }) }),
  deleteRole: given({ params: ofRole }),

  restrictFeatures: given({ params: ofRole, body: given({ featuresToRestrict: features }) }),
  listRestrictedFeatures: given({ params: ofRole, query: paged }),
  allowFeatures: given({
    params: ofRole,
    body: some({ featuresToAllow: features, allowAll: flag }),
  }),

  listRolePermissions: given({ params: ofRole, query: paged }),
  setRolePermissions: given({
    params: ofRole,
    body: given({
      permissions: fc.dictionary(permission, fc.constantFrom('allow', 'deny', 'friends', null)),
    }),
  }),
  unsetRolePermission: given({ params: given({ role, permission }) }),

  createGroup: perhapsAs({
    body: fc.record(
      { ...look, guid, members: memberLists },
      { requiredKeys: ['guid', 'name', 'type'] },
    ),
  }),
  listGroups: perhapsAs({
    query: some({
      ...page,
      searchKey,
      cursor,
      type: fc.constantFrom('public' as const, 'protected' as const, 'private' as const),
      tags: fc.constant(['red', '$marker']),
      sortBy: fc.constantFrom('name' as const, 'guid' as const, 'createdAt' as const),
      hasJoined: flag,
      withTags: flag,
    }),
  }),
  getGroup: perhapsAs({ params: ofGroup }),
  updateGroup: perhapsAs({ params: ofGroup, body: some(look) }),
  deleteGroup: perhapsAs({ params: ofGroup }),
  transferGroupOwnership: perhapsAs({ params: ofGroup, body: given({ owner: uid }) }),

  addMembers: fc.oneof(
    perhapsAs({ params: ofGroup, body: memberLists }),
    as({ params: ofGroup, body: some({ password: fc.constantFrom('sesame', 'wrong') }) }),
  ),
  leaveGroup: as({ params: ofGroup }),
  listMembers: perhapsAs({
    params: ofGroup,
    query: some({ ...page, searchKey, cursor, scopes: fc.constant(['participant' as const]) }),
  }),
  changeMemberScope: perhapsAs({ params: ofMember, body: some({ scope: groupScope }) }),
  kickMember: perhapsAs({ params: ofMember }),

  banUser: perhapsAs({ params: ofMember }),
  unbanUser: perhapsAs({ params: ofMember }),
  listBannedUsers: perhapsAs({ params: ofGroup, query: listed }),

  listScopePermissions: given({ params: ofScope, query: paged }),
  setScopePermissions: given({ params: ofScope, body: given({ permissions: scopePermissions }) }),
  unsetScopePermission: given({
    params: given({ guid, scope: groupScope, permission: scopePermission }),
  }),

  listConversations: perhapsAs({
    query: some({
      ...page,
      searchKey,
      cursor,
      tags: fc.constant(['red', '$marker']),
      withTags: flag,
      withUserAndGroupTags: flag,
      unread: flag,
    }),
  }),
  sendMessage: perhapsAs({ body: newMessage }),
  sendBotMessage: given({ params: ofUser, body: newMessage }),
  getMessage: perhapsAs({ params: ofMessage }),
  editMessage: perhapsAs({ params: ofMessage, body: given({ data: said }) }),
  deleteMessage: perhapsAs({ params: ofMessage, body: some({ permanent: flag }) }),
  listEdits: perhapsAs({ params: ofMessage, query: some(near) }),

  listReactions: perhapsAs({ params: ofMessage, query: some(near) }),
  listReactionsOfKind: perhapsAs({ params: ofReaction, query: some(near) }),
  addReaction: as({ params: ofReaction }),
  addReactionInBody: as({ params: ofMessage, body: given({ reaction }) }),
  removeReaction: as({ params: ofReaction }),

  replyToMessage: as({ params: ofMessage, body: given({ data: said }) }),
  listThreads: perhapsAs({ query: some(near) }),
  subscribeToThread: as({ params: ofMessage }),
  unsubscribeFromThread: as({ params: ofMessage }),

  markInteracted: as({ params: ofMessage, body: fc.constant({ interactions: ['cup'] }) }),
  pinMessage: perhapsAs({ params: ofMessage }),
  unpinMessage: perhapsAs({ params: ofMessage }),
  saveMessage: as({ params: ofMessage }),
  unsaveMessage: as({ params: ofMessage }),
  listReceipts: perhapsAs({ params: ofMessage, query: some({ uid }) }),

  getConversation: as({ params: given({ conversationId }) }),
  deleteConversation: as({ params: given({ conversationId }) }),
  getUserConversation: as({ params: ofUser }),
  updateUserConversation: as({ params: ofUser, body: some({ tags }) }),
  resetUserConversation: as({ params: ofUser }),
  getGroupConversation: as({ params: ofGroup }),
  updateGroupConversation: as({ params: ofGroup, body: some({ tags }) }),
  resetGroupConversation: as({ params: ofGroup }),

  markUserConversationDelivered: as({ params: ofUser, body: upTo }),
  markUserConversationRead: as({ params: ofUser, body: upTo }),
  markUserConversationUnread: as({ params: ofUser, body: behind }),
  markGroupConversationDelivered: as({ params: ofGroup, body: upTo }),
  markGroupConversationRead: as({ params: ofGroup, body: upTo }),
  markGroupConversationUnread: as({ params: ofGroup, body: behind }),

  getNotificationSettings: fc.constant({}),
  updateNotificationSettings: given({ body: some({ templates }) }),
  resetNotificationSettings: fc.constant({}),
  getNotificationPreferences: given({ query: ofUser }),
  updateNotificationPreferences: given({
    query: ofUser,
    body: some({ usePrivacyTemplate: flag }),
  }),
  deleteNotificationPreferences: given({ query: ofUser }),
  listMutedConversations: given({ query: ofUser }),
  muteConversations: given({ query: ofUser, body: talks }),
  unmuteConversations: given({ query: ofUser, body: talks }),
  getTimezone: given({ query: ofUser }),
  setTimezone: given({
    query: ofUser,
    body: given({ timezone: fc.constantFrom('GMT', 'Asia/Kolkata') }),
  }),
  registerPushToken: given({
    body: given({ authToken, platform: fc.constant('fcm_ios' as const), fcmToken: pushToken }),
  }),
  listPushTokens: given({ query: fc.record({ authToken, all: flag }) }),
  deletePushTokens: given({ query: some({ all: flag }), body: given({ authToken }) }),
  deletePushToken: given({ params: given({ pushToken }), body: given({ authToken }) }),
  getContactDetails: given({ onBehalfOf: uid }),
  updateContactDetails: as({ body: some({ email: fc.constant('$marker@tea.example') }) }),
  deleteContactDetails: given({ onBehalfOf: uid }),

  createApiKey: given({ body: fc.record({ name, scope }, { requiredKeys: ['name'] }) }),
  listApiKeys: given({ query: some({ scope, searchKey }) }),
  getApiKey: given({ params: given({ apiKey }) }),
  updateApiKey: given({ params: given({ apiKey }), body: some({ name, scope }) }),
  deleteApiKey: given({ params: given({ apiKey }) }),

  createIssuer: given({
    body: given({ id: role, issuer, jwksUrl: issuer, audiences: fc.constant(['$marker']) }),
  }),
  listIssuers: given({ query: paged }),
  getIssuer: given({ params: ofIssuer }),
  updateIssuer: given({ params: ofIssuer, body: some({ issuer, enabled: flag }) }),
  deleteIssuer: given({ params: ofIssuer }),

  mapAppSettings: given({ params: ofApp, body: given({ settings }) }),
  listAppSettings: given({ params: ofApp }),
  unmapAppSettings: given({
    params: ofApp,
    body: given({ settings: fc.constant(['apiKeys.authOnlyCreatesUsers']) }),
  }),
}

/** Everyday calls on users, and many on two or three nouns: so these get in each other's way. */
export const commandsOfARun: fc.Arbitrary<fc.Arbitrary<Command>> = fc
  .uniqueArray(fc.constantFrom(...nouns), { minLength: 2, maxLength: 3 })
  .map((chosen) =>
    fc.oneof(
      { weight: 1, arbitrary: commandOf('users') },
      ...chosen.map((noun) => ({ weight: 3, arbitrary: commandOf(noun) })),
    ),
  )

function commandOf(noun: Noun): fc.Arbitrary<Command> {
  const names = Object.keys(api[noun]) as Name[]
  // Name and input come from the same line of the table, which typed them.
  const ofName = (name: Name) =>
    fc.record({ name: fc.constant(name), input: inputs[name] }) as fc.Arbitrary<Command>
  return fc.oneof(...names.map(ofName))
}
