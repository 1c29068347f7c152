import { say, type Tour } from './tour.ts'

const anna = { params: { uid: 'anna' } } as const
const chloe = { params: { uid: 'chloe' } } as const

export async function showUsers({ show, call }: Tour): Promise<void> {
  await show.createUser({
    body: {
      uid: 'anna',
      name: 'Anna Lind',
      avatar: 'https://example.com/anna.png',
      metadata: { favourite: 'poetry' },
      tags: ['reader'],
    },
  })
  const others = { ben: 'Ben Okafor', chloe: 'Chloe Martin', david: 'David Chen', fay: 'Fay Silva' }
  for (const [uid, name] of Object.entries(others)) await call.createUser({ body: { uid, name } })
  await call.createUser({ body: { uid: 'erik', name: 'Erik Holm' } })
  await call.createUser({ body: { uid: 'helper', name: 'Helper' } })
  await show.listUsers({ query: { searchKey: 'an', withTags: true, perPage: 10 } })
  await show.getUser(anna)
  await show.updateUser({ ...anna, body: { statusMessage: 'On a walk', unset: ['avatar'] } })
  await show.deleteUser({ params: { uid: 'erik' }, body: { permanent: true } })
  await show.deactivateUsers({ body: { uidsToDeactivate: ['fay', 'nobody'] } })
  await show.reactivateUsers({ body: { uidsToActivate: ['fay'] } })
}

export async function showAuthTokens({ show, call, replace, device }: Tour): Promise<void> {
  const { data } = await show.createAuthToken({ ...anna, body: { lifetimeSeconds: 86_400 } })
  const { authToken } = data
  replace(authToken.slice(-40), '0123456789abcdef0123456789abcdef01234567')
  const params = { ...anna.params, authToken }
  await show.listAuthTokens({ ...anna, query: { perPage: 10 } })
  await show.getAuthToken({ params })
  await show.updateAuthToken({ params, body: { platform: 'ios', userAgent: 'BookShop/2.1' } })
  await show.deleteAuthToken({ params })
  await call.createAuthToken({ params: { uid: 'david' } })
  await show.deleteAuthTokens({ params: { uid: 'david' } })
  const mine = await device('anna')
  await mine.getMe()
  await mine.updateMe({ body: { statusMessage: 'Reading' } })
  await mine.deleteMyAuthToken()
}

export async function showSupport(tour: Tour): Promise<void> {
  const { show } = tour
  await show.findUsers({ query: { search: 'an', limit: 10 } })
  await show.getSupportedUser(anna)
  await show.listConversationsOfUser({ ...anna, query: { limit: 10 } })
  const id = await say(tour, 'ben', 'anna', 'Has it come?')
  await show.getMessageTimeline({ params: { id }, query: { limit: 10 } })
}

export async function showIssuers({ show }: Tour): Promise<void> {
  const params = { issuerId: 'login' }
  await show.createIssuer({
    body: {
      id: 'login',
      issuer: 'https://login.example.com/realms/books',
      jwksUrl: 'https://login.example.com/realms/books/protocol/openid-connect/certs',
      audiences: ['chat'],
      createUsers: true,
    },
  })
  await show.listIssuers()
  await show.getIssuer({ params })
  await show.updateIssuer({
    params,
    body: { roleClaim: 'realm_access.roles', allowedRoles: ['default'], updateUsers: true },
  })
  await show.deleteIssuer({ params })
}

export async function showRelationships({ show }: Tour): Promise<void> {
  await show.addFriends({ ...anna, body: { accepted: ['ben', 'chloe'] } })
  await show.listFriends({ ...anna, query: { perPage: 10 } })
  await show.removeFriends({ ...anna, body: { friends: ['chloe'] } })
  await show.blockUsers({ ...chloe, body: { blockedUids: ['david'] } })
  await show.listBlockedUsers(chloe)
  await show.unblockUsers({ ...chloe, body: { blockedUids: ['david'] } })
}

export async function showRoles({ show, call }: Tour): Promise<void> {
  const premium = { params: { role: 'premium' } } as const
  await show.createRole({
    body: {
      role: 'premium',
      name: 'Premium members',
      description: 'Readers who pay.',
      settings: { listUsers: 'all', sendMessagesTo: 'friendsOnly' },
    },
  })
  await show.listRoles()
  await show.getRole(premium)
  await show.updateRole({ ...premium, body: { description: 'Readers with a subscription.' } })
  await show.restrictFeatures({ ...premium, body: { featuresToRestrict: ['createGroup'] } })
  await show.listRestrictedFeatures(premium)
  await show.allowFeatures({ ...premium, body: { featuresToAllow: ['createGroup'] } })
  await show.setRolePermissions({ ...premium, body: { permissions: { createGroup: 'deny' } } })
  await show.listRolePermissions({ ...premium, query: { perPage: 2 } })
  await show.unsetRolePermission({ params: { role: 'premium', permission: 'createGroup' } })
  await call.createRole({ body: { role: 'trial', name: 'Trial' } })
  await show.deleteRole({ params: { role: 'trial' } })
}
