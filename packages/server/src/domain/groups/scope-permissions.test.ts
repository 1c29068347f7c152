import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { walkByPage } from '../../../../testing/src/service/walk.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const { listScopePermissions, setScopePermissions, unsetScopePermission } = app.as('full')

const params = { guid: 'pub', scope: 'participant' } as const
const set = (permissions: Record<string, string | string[]>) =>
  setScopePermissions({ params, body: { permissions } })

/** Every key, in the order of the catalogue. */
const defaults = {
  sendMessage: 'allow',
  sendThreadedMessage: 'allow',
  editMessage: 'allow',
  addReaction: 'allow',
  listReactions: 'allow',
  'listReactions.allowedScopes': [],
  listMembers: 'allow',
  'listMembers.allowedScopes': [],
  initiateCall: 'allow',
  'initiateCall.allowedScopes': [],
  'initiateCall.allowedType': [],
}

beforeAll(async () => {
  await app.given.group('pub')
})

test('requirement 4.4: a verdict for each permission set, and the full map that results', async () => {
  const { data } = await set({ sendMessage: 'deny', 'initiateCall.allowedType': 'audio' })
  expect(data).toEqual({
    sendMessage: { success: true, message: expect.any(String) },
    'initiateCall.allowedType': { success: true, message: expect.any(String) },
    permissions: { ...defaults, sendMessage: 'deny', 'initiateCall.allowedType': 'audio' },
  })
  expect((await app.events()).at(-1)).toEqual({
    name: 'group.scopePermissionsSet',
    payload: {
      guid: 'pub',
      scope: 'participant',
      permissions: { sendMessage: 'deny', 'initiateCall.allowedType': ['audio'] },
    },
  })
})

test('requirement 4.4: what was set before stays, for this scope of this group', async () => {
  const { data } = await set({ initiateCall: 'friends', listMembers: 'friends' })
  expect(data.permissions).toMatchObject({ sendMessage: 'deny', initiateCall: 'friends' })
  for (const scope of ['admin', 'moderator'] as const) {
    const other = await setScopePermissions({
      params: { ...params, scope },
      body: { permissions: {} },
    })
    expect(other.data).toEqual({ permissions: defaults })
  }
})

test('requirement 4.4: lists are taken as one value or several, and shown so', async () => {
  const scopes = ['admin', 'moderator']
  const { data } = await set({
    'listMembers.allowedScopes': scopes,
    'listReactions.allowedScopes': ['admin'],
    'initiateCall.allowedScopes': 'moderator',
  })
  expect(data.permissions).toMatchObject({
    'listMembers.allowedScopes': scopes,
    'listReactions.allowedScopes': 'admin',
    'initiateCall.allowedScopes': 'moderator',
  })
})

test('requirement 4.4: a permission that does not exist or does not fit is reported alone', async () => {
  const { data } = await set({
    addReaction: 'deny',
    editMessage: 'perhaps',
    sendMessage: 'friends',
    unheardOf: 'allow',
    listReactions: ['allow'],
    'initiateCall.allowedType': ['audio', 'smoke'],
  })
  const { permissions, ...verdicts } = data
  expect(verdicts).toMatchObject({
    addReaction: { success: true },
    editMessage: { success: false },
    sendMessage: { success: false },
    unheardOf: { success: false },
    listReactions: { success: false },
    'initiateCall.allowedType': { success: false },
  })
  expect(permissions).toMatchObject({
    addReaction: 'deny',
    editMessage: 'allow',
    sendMessage: 'deny',
    listReactions: 'allow',
    'initiateCall.allowedType': 'audio',
  })
  expect(permissions).not.toHaveProperty('unheardOf')
})

test('requirement 4.5: unsetting gives a permission its default, and answers the full map', async () => {
  const unset = (permission: string) => unsetScopePermission({ params: { ...params, permission } })
  const { data } = await unset('sendMessage')
  expect(data).toEqual({
    permissions: expect.objectContaining({ sendMessage: 'allow', addReaction: 'deny' }),
  })
  expect(Object.keys(data.permissions)).toEqual(Object.keys(defaults))
  expect((await unset('initiateCall.allowedType')).data.permissions).toMatchObject({
    'initiateCall.allowedType': [],
  })
  expect((await unset('initiateCall.allowedType')).data.permissions).toMatchObject({
    addReaction: 'deny',
  })
  await expect(unset('unheardOf')).rejects.toMatchObject({
    code: 'ERR_BAD_REQUEST',
    details: { permission: [expect.any(String)] },
  })
})

test('requirement 4.5: unsetting where nothing was ever set answers the defaults', async () => {
  await app.given.group('fresh')
  const { data } = await unsetScopePermission({
    params: { guid: 'fresh', scope: 'admin', permission: 'sendMessage' },
  })
  expect(data).toEqual({ permissions: defaults })
})

test('the list has all 11 permissions with values, default and what holds', async () => {
  const { data, meta } = await listScopePermissions({ params })
  expect(data.map(({ id }) => id)).toEqual(Object.keys(defaults))
  expect(meta.pagination).toMatchObject({ total: 11, count: 11 })
  expect(data.find(({ id }) => id === 'addReaction')).toEqual({
    id: 'addReaction',
    type: 'scope',
    title: expect.any(String),
    description: expect.any(String),
    dataType: 'string',
    availableValues: ['allow', 'deny'],
    defaultValue: 'allow',
    value: 'deny',
    createdAt: expect.any(Number),
    updatedAt: expect.any(Number),
  })
  expect(data.find(({ id }) => id === 'listMembers.allowedScopes')).toMatchObject({
    dataType: 'stringArray',
    availableValues: ['admin', 'moderator', 'participant'],
    defaultValue: [],
    value: ['admin', 'moderator'],
  })
  const pages = await walkByPage((at) =>
    listScopePermissions({ params, query: { perPage: 5, ...at } }),
  )
  expect(pages.map((page) => page.length)).toEqual([5, 5, 1])
})

test('groups and scopes that do not exist are refused', async () => {
  const calls = [
    (where: typeof params) => listScopePermissions({ params: where }),
    (where: typeof params) =>
      setScopePermissions({ params: where, body: { permissions: { sendMessage: 'deny' } } }),
    (where: typeof params) =>
      unsetScopePermission({ params: { ...where, permission: 'sendMessage' } }),
  ]
  // Wrong on purpose, past the types.
  const wrong = (change: object) => ({ ...params, ...change }) as typeof params
  for (const call of calls) {
    await expect(call(wrong({ guid: 'nothing' }))).rejects.toMatchObject({
      code: 'ERR_GUID_NOT_FOUND',
    })
    await expect(call(wrong({ scope: 'owner' }))).rejects.toMatchObject({
      code: 'ERR_BAD_REQUEST',
      details: { scope: [expect.any(String)] },
    })
  }
})

test('callers of the same moment do not lose each other’s permissions', async () => {
  await using busy = await startTestApp({ shadow: false })
  await busy.given.group('pub')
  const keys = Object.keys(defaults).filter((key) => !key.includes('.'))
  await Promise.all(
    keys.map((key) =>
      busy.as('full').setScopePermissions({ params, body: { permissions: { [key]: 'deny' } } }),
    ),
  )
  const { data } = await busy.as('full').setScopePermissions({ params, body: { permissions: {} } })
  expect(keys.map((key) => data.permissions[key])).toEqual(keys.map(() => 'deny'))
})
