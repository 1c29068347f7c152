import { allOperations } from '@chorale/contract/api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorOf, send } from '../../../testing/src/network/wire.ts'
import { type Device, startTestApp } from '../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const { deactivateUsers, reactivateUsers, deleteAuthTokens, restrictFeatures, mapAppSettings } =
  app.as('full')

let ann: Device
let bob: Device
beforeAll(async () => {
  await app.given.users('ann', 'bob')
  ann = await app.device('ann')
  bob = await app.device('bob')
})

const acting = [
  'listUsers',
  'getUser',
  'getMe',
  'updateMe',
  'deleteMyAuthToken',
  'listConversations',
  'getConversation',
  'getUserConversation',
  'updateUserConversation',
  'resetUserConversation',
  'getGroupConversation',
  'updateGroupConversation',
  'resetGroupConversation',
  'markUserConversationDelivered',
  'markUserConversationRead',
  'markUserConversationUnread',
  'markGroupConversationDelivered',
  'markGroupConversationRead',
  'markGroupConversationUnread',
  'createGroup',
  'listGroups',
  'getGroup',
  'updateGroup',
  'deleteGroup',
  'transferGroupOwnership',
  'addMembers',
  'leaveGroup',
  'listMembers',
  'changeMemberScope',
  'kickMember',
  'banUser',
  'unbanUser',
  'listBannedUsers',
  'flagMessage',
  'createUpload',
  'getUpload',
  'completeUpload',
  'cancelUpload',
  'sendMessage',
  'getMessage',
  'editMessage',
  'deleteMessage',
  'listMessages',
  'listUserMessages',
  'listGroupMessages',
  'listReplies',
  'listReactions',
  'listReactionsOfKind',
  'addReaction',
  'addReactionInBody',
  'removeReaction',
  'replyToMessage',
  'listThreads',
  'subscribeToThread',
  'unsubscribeFromThread',
  'markInteracted',
  'pinMessage',
  'unpinMessage',
  'saveMessage',
  'unsaveMessage',
  'listReceipts',
  'registerPushToken',
  'listPushTokens',
  'deletePushTokens',
  'deletePushToken',
  'getWebPushKey',
  'getContactDetails',
  'updateContactDetails',
  'deleteContactDetails',
]
const own = [
  'listFriends',
  'blockUsers',
  'unblockUsers',
  'listBlockedUsers',
  'getNotificationPreferences',
  'updateNotificationPreferences',
  'deleteNotificationPreferences',
  'listMutedConversations',
  'muteConversations',
  'unmuteConversations',
  'getTimezone',
  'setTimezone',
]

describe('a device', () => {
  test('makes the calls that the contract gives it, and no other', async () => {
    await app.given.users('table')
    const answers: Record<string, string[]> = {}
    for (const [name, { requires, method, path }] of allOperations) {
      // Only people in the console have these.
      if (requires === 'session') continue
      // Each call with a token of its own: one of them deletes it.
      const { authToken } = await app.device('table')
      const management = requires === 'management'
      const answer = await send(management ? app.managementOrigin : app.origin, {
        method,
        path: (management ? '' : '/v3') + path.replaceAll(/:\w+/g, 'nobody'),
        headers: { appId: app.appId, authToken },
      })
      const code = answer.status === 200 ? 'allowed' : errorOf(answer).code
      const refused = /^AUTH_|^ERR_PERMISSION_DENIED$/.test(code)
      answers[refused ? code : 'allowed'] ??= []
      answers[refused ? code : 'allowed']?.push(name)
    }
    const { allowed, ERR_PERMISSION_DENIED, ...rest } = answers
    expect(allowed).toEqual(acting)
    expect(ERR_PERMISSION_DENIED).toEqual(own)
    const names = (wanted: (requires: string) => boolean) =>
      [...allOperations].flatMap(([name, { requires }]) => (wanted(requires) ? [name] : []))
    const others = names((requires) => !['management', 'session'].includes(requires)).filter(
      (name) => !acting.includes(name) && !own.includes(name),
    )
    expect(rest).toEqual({
      AUTH_ERR_EMPTY_AUTH_HEADER: names((requires) => requires === 'management'),
      AUTH_ERR_NO_ACCESS: others,
    })
    // Hundreds of calls, each with a token of its own.
  }, 300_000)

  test('always has an acting user where its operation could do without one', () => {
    for (const [name, { device, onBehalfOf, requires, path, query }] of allOperations) {
      if (device === 'acting' && requires !== 'authToken') expect(onBehalfOf, name).toBeDefined()
      const namesUid = path.includes('/:uid') || query?.required?.includes('uid')
      if (device === 'own') expect(namesUid, name).toBe(true)
    }
  })

  test('is its user, whomever it names', async () => {
    const headers = { appId: app.appId, authToken: ann.authToken, onBehalfOf: 'bob' }
    const { text } = await send(app.origin, { path: '/v3/me', headers })
    expect(JSON.parse(text).data.uid).toBe('ann')
    const message = { receiver: 'bob', receiverType: 'user', data: { text: 'hi' } }
    const sent = await send(app.origin, {
      method: 'POST',
      path: '/v3/messages',
      headers,
      body: JSON.stringify(message),
    })
    expect(JSON.parse(sent.text).data.sender).toBe('ann')
  })

  test("sees its own friends and blocks, and nobody else's", async () => {
    const { listFriends, blockUsers, unblockUsers, listBlockedUsers } = ann.calls
    const mine = { params: { uid: 'ANN' } }
    const theirs = { params: { uid: 'bob' } }
    const whom = { body: { blockedUids: ['bob'] } }
    expect((await blockUsers({ ...mine, ...whom })).data.bob?.success).toBe(true)
    expect((await listBlockedUsers(mine)).data.map(({ uid }) => uid)).toEqual(['bob'])
    expect((await unblockUsers({ ...mine, ...whom })).data.bob?.success).toBe(true)
    expect((await listFriends(mine)).data).toEqual([])
    const denied = { code: 'ERR_PERMISSION_DENIED', status: 403 }
    await expect(blockUsers({ ...theirs, ...whom })).rejects.toMatchObject(denied)
    await expect(unblockUsers({ ...theirs, ...whom })).rejects.toMatchObject(denied)
    await expect(listBlockedUsers(theirs)).rejects.toMatchObject(denied)
    await expect(listFriends(theirs)).rejects.toMatchObject(denied)
  })

  test('is refused what belongs to another user, whomever the query names as well', async () => {
    const headers = { appId: app.appId, authToken: ann.authToken }
    const answer = await send(app.origin, { path: '/v3/users/bob/friends?uid=ann', headers })
    expect([answer.status, errorOf(answer).code]).toEqual([403, 'ERR_PERMISSION_DENIED'])
  })

  test('finds in lists what its user may see, never what the app sees', async () => {
    await app.given.users('eve', 'mallory')
    await app.given.user('secretive', { metadata: { '@private': { email: 'x@y.z' }, open: 1 } })
    const eve = await app.device('eve')
    const mallory = await app.device('mallory')
    const said = { receiverType: 'user', data: { text: 'for bob alone' } } as const
    await eve.calls.sendMessage({ body: { receiver: 'bob', ...said } })
    expect((await mallory.calls.listMessages()).data).toEqual([])
    expect((await mallory.calls.listConversations()).data).toEqual([])
    expect((await mallory.calls.listThreads()).data).toEqual([])
    expect((await mallory.calls.listUserMessages({ params: { uid: 'eve' } })).data).toEqual([])
    expect((await eve.calls.listMessages()).data).toHaveLength(1)
    const { data } = await mallory.calls.getUser({ params: { uid: 'secretive' } })
    expect(data.metadata).toEqual({ open: 1 })
  })

  test('founds a group that is its own, whatever the body says', async () => {
    const body = { guid: 'den', name: 'Den', type: 'public', owner: 'bob' } as const
    expect((await ann.calls.createGroup({ body })).data.owner).toBe('ann')
    await bob.calls.addMembers({ params: { guid: 'den' } })
    await expect(bob.calls.deleteGroup({ params: { guid: 'den' } })).rejects.toMatchObject({
      code: 'ERR_GROUP_NO_ADMIN_SCOPE',
    })
  })

  test('is held to what its role may do, also where a server is not', async () => {
    await app.given.role('quiet')
    await app.given.user('shy', { role: 'quiet' })
    const featuresToRestrict = ['blockUser', 'getMyDetails', 'logout']
    await restrictFeatures({ params: { role: 'quiet' }, body: { featuresToRestrict } })
    const { blockUsers, getMe, deleteMyAuthToken } = (await app.device('shy')).calls
    const body = { blockedUids: ['ann'] }
    const denied = { code: 'ERR_PERMISSION_DENIED' }
    await expect(blockUsers({ params: { uid: 'shy' }, body })).rejects.toMatchObject(denied)
    await expect(getMe()).rejects.toMatchObject(denied)
    await expect(deleteMyAuthToken()).rejects.toMatchObject(denied)
    expect((await app.as('full').blockUsers({ params: { uid: 'shy' }, body })).data).toEqual({
      ann: { success: true, message: 'ann is blocked.' },
    })
  })
})

describe('an auth token', () => {
  const call = (headers: Record<string, string>, path = '/v3/me') =>
    send(app.origin, { path, headers: { appId: app.appId, ...headers } })
  const codeOf = async (headers: Record<string, string>, path?: string) =>
    errorOf(await call(headers, path)).code

  test('must be there and known', async () => {
    const none = app.client({ ...app.keys, full: '' }, 'full').getMe()
    await expect(none).rejects.toMatchObject({ code: 'AUTH_ERR_EMPTY_AUTH_TOKEN' })
    expect(await codeOf({ authToken: '' }, '/v3/users')).toBe('AUTH_ERR_EMPTY_AUTH_TOKEN')
    expect(await codeOf({ authToken: 'ann_1' })).toBe('AUTH_ERR_AUTH_TOKEN_NOT_FOUND')
    const unknown = await call({ authToken: `${ann.authToken}0` })
    expect(errorOf(unknown).code).toBe('AUTH_ERR_AUTH_TOKEN_NOT_FOUND')
    expect(unknown.status).toBe(401)
    expect(await codeOf({ authToken: ann.authToken, appId: 'nosuchapp' })).toBe(
      'AUTH_ERR_INVALID_APPID',
    )
  })

  test('is no API key, and an API key is no auth token', async () => {
    expect(await codeOf({ apikey: ann.authToken }, '/v3/users')).toBe('AUTH_ERR_APIKEY_NOT_FOUND')
    expect(await codeOf({ authToken: app.keys.full })).toBe('AUTH_ERR_AUTH_TOKEN_NOT_FOUND')
    expect(await codeOf({ apikey: app.keys.full })).toBe('AUTH_ERR_NO_ACCESS')
    const both = { apikey: app.keys.full, authToken: ann.authToken }
    expect((await call(both, '/v3/roles')).status).toBe(200)
    expect(await codeOf(both)).toBe('AUTH_ERR_NO_ACCESS')
    // Refused before its body is looked at.
    const wrong = app.as('full').updateMe({ body: { name: '' } })
    await expect(wrong).rejects.toMatchObject({ code: 'AUTH_ERR_NO_ACCESS' })
  })

  test('opens its own app only', async () => {
    const other = await app.anotherApp()
    const create = app.client(other, 'full').createUser
    await create({ body: { uid: 'ann', name: 'Ann' } })
    expect(await codeOf({ appId: other.appId, authToken: ann.authToken })).toBe(
      'AUTH_ERR_AUTH_TOKEN_NOT_FOUND',
    )
  })

  test('that is revoked is refused at once', async () => {
    await app.given.users('gone')
    const one = await app.device('gone')
    const two = await app.device('gone')
    const refused = { code: 'AUTH_ERR_AUTH_TOKEN_NOT_FOUND', status: 401 }
    expect((await one.calls.deleteMyAuthToken()).data.success).toBe(true)
    await expect(one.calls.getMe()).rejects.toMatchObject(refused)
    expect((await app.events()).at(-1)).toEqual({
      name: 'authTokens.revoked',
      payload: { uid: 'gone' },
    })
    expect((await two.calls.getMe()).data.uid).toBe('gone')
    await deleteAuthTokens({ params: { uid: 'gone' } })
    await expect(two.calls.getMe()).rejects.toMatchObject(refused)
  })

  test('is of no use while its user is deactivated', async () => {
    await app.given.users('idle')
    const { calls } = await app.device('idle')
    await deactivateUsers({ body: { uidsToDeactivate: ['idle'] } })
    await expect(calls.getMe()).rejects.toMatchObject({ code: 'AUTH_ERR_AUTH_TOKEN_NOT_FOUND' })
    await reactivateUsers({ body: { uidsToActivate: ['idle'] } })
    expect((await calls.getMe()).data.uid).toBe('idle')
  })

  test('has a budget for its user, who cannot use up that of the app', async () => {
    await app.given.users('eager', 'calm')
    const { authToken } = await app.device('eager')
    const calm = await app.device('calm')
    const settings = { 'rateLimits.device': 2 }
    await mapAppSettings({ params: { appId: app.appId }, body: { settings } })
    const statuses = []
    for (let nth = 0; nth < 3; nth++) statuses.push((await call({ authToken })).status)
    expect(statuses).toEqual([200, 200, 429])
    expect((await call({ apikey: app.keys.full }, '/v3/users')).status).toBe(200)
    expect((await call({ authToken: calm.authToken })).status).toBe(200)
    await app.as('full').unmapAppSettings({
      params: { appId: app.appId },
      body: { settings: ['rateLimits.device'] },
    })
  })
})
