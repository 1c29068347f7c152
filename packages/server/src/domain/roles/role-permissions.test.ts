import { afterAll, describe, expect, test } from 'vitest'
import { auditOf } from '../../../../testing/src/data/audit.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { walkByPage } from '../../../../testing/src/service/walk.ts'

let now = 1_700_000_000
const app = await startTestApp({ clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const { listRolePermissions, setRolePermissions, unsetRolePermission } = app.as('full')

const set = (role: string, permissions: Record<string, string | string[] | null>) =>
  setRolePermissions({ params: { role }, body: { permissions } })
const done = { success: true, message: expect.any(String) }
const refused = { success: false, message: expect.any(String) }

describe('list', () => {
  test('shows 28 permissions with their defaults, and the values of the role', async () => {
    await app.given.role('listed')
    const createdAt = now
    const updatedAt = ++now
    await set('listed', { listUsers: 'deny', 'listUsers.allowedRoles': ['guest'] })
    const { data, meta } = await listRolePermissions({ params: { role: 'Listed' } })
    expect(meta.pagination).toEqual({
      total: 28,
      count: 28,
      per_page: 100,
      current_page: 1,
      total_pages: 1,
    })
    const byId = new Map(data.map((row) => [row.id, row]))
    expect(byId.size).toBe(28)
    expect(byId.get('listUsers')).toEqual({
      id: 'listUsers',
      type: 'role',
      title: expect.any(String),
      description: expect.any(String),
      dataType: 'string',
      availableValues: ['allow', 'deny'],
      defaultValue: 'allow',
      value: 'deny',
      createdAt,
      updatedAt,
    })
    expect(byId.get('listUsers.allowedRoles')).toMatchObject({
      dataType: 'rolesStringArray',
      defaultValue: [],
      value: ['guest'],
    })
    expect(byId.get('createGroup')).toMatchObject({ value: 'allow' })
  })

  test('goes page by page, and refuses an unknown role', async () => {
    await app.given.role('paged')
    const pages = await walkByPage((at) =>
      listRolePermissions({ params: { role: 'paged' }, query: { perPage: 10, ...at } }),
    )
    expect(pages.map((page) => page.length)).toEqual([10, 10, 8])
    expect(new Set(pages.flat().map(({ id }) => id)).size).toBe(28)
    await expect(listRolePermissions({ params: { role: 'unknown' } })).rejects.toMatchObject({
      code: 'ERR_ROLE_NOT_FOUND',
      status: 404,
    })
  })
})

describe('set', () => {
  test('sets what is right, reports what is wrong, adds to what was there', async () => {
    await app.given.role('setter')
    await set('setter', { createGroup: 'deny', joinGroup: 'deny' })
    const { data } = await set('Setter', {
      listUsers: 'deny',
      'sendMessage.allowedMessageTypes': ['text', 'image'],
      'createGroup.allowedGroupTypes': 'public',
      'sendMessage.allowedCustomTypes': ['location'],
      joinGroup: null,
      'listUsers.mode': 'enemies',
      'getUserDetails.mode': ['all'],
      'initiateCall.mode': '',
      'listGroups.allowedGroupTypes': ['public', 'secret'],
      fly: 'allow',
    })
    const permissions = {
      createGroup: 'deny',
      listUsers: 'deny',
      'sendMessage.allowedMessageTypes': ['text', 'image'],
      'createGroup.allowedGroupTypes': 'public',
      'sendMessage.allowedCustomTypes': ['location'],
    }
    expect(data).toEqual({
      listUsers: done,
      'sendMessage.allowedMessageTypes': done,
      'createGroup.allowedGroupTypes': done,
      'sendMessage.allowedCustomTypes': done,
      joinGroup: done,
      'listUsers.mode': refused,
      'getUserDetails.mode': refused,
      'initiateCall.mode': refused,
      'listGroups.allowedGroupTypes': refused,
      fly: refused,
      permissions,
    })
    expect((await app.events()).at(-1)).toEqual({
      name: 'role.permissionsSet',
      payload: { role: 'setter', permissions },
    })
    expect((await auditOf(app.db, app.appId)).at(-1)).toMatchObject({
      caller: 'key:Rest API Key',
      operation: 'setRolePermissions',
      target: { params: { role: 'setter' }, body: { permissions: { listUsers: 'deny' } } },
    })
  })

  test('refuses an unknown role, and a body without permissions', async () => {
    await expect(set('unknown', { listUsers: 'deny' })).rejects.toMatchObject({
      code: 'ERR_ROLE_NOT_FOUND',
      status: 404,
    })
    // Wrong on purpose: the compiler would refuse it too.
    const body = {} as { permissions: Record<string, string> }
    await expect(setRolePermissions({ params: { role: 'default' }, body })).rejects.toMatchObject({
      code: 'ERR_BAD_REQUEST',
      details: { permissions: [expect.any(String)] },
    })
  })

  test('calls at the same moment lose no permission of each other', async () => {
    await using busy = await startTestApp({ shadow: false })
    const calls = busy.as('full')
    const keys = ['listUsers', 'sendMessage', 'editMessage', 'deleteMessage', 'createGroup']
    await Promise.all(
      keys.map((key) =>
        calls.setRolePermissions({
          params: { role: 'default' },
          body: { permissions: { [key]: 'deny' } },
        }),
      ),
    )
    const { data } = await calls.setRolePermissions({
      params: { role: 'default' },
      body: { permissions: {} },
    })
    expect(data.permissions).toEqual(Object.fromEntries(keys.map((key) => [key, 'deny'])))
  })
})

test('unsets one permission and answers with the rest; refuses what does not exist', async () => {
  await app.given.role('unsetter')
  await set('unsetter', { createGroup: 'deny', joinGroup: 'deny' })
  const unset = (role: string, permission: string) =>
    unsetRolePermission({ params: { role, permission } })
  expect((await unset('Unsetter', 'joinGroup')).data).toEqual({
    permissions: { createGroup: 'deny' },
  })
  expect((await auditOf(app.db, app.appId)).at(-1)).toMatchObject({
    operation: 'unsetRolePermission',
    target: { params: { role: 'unsetter', permission: 'joinGroup' } },
  })
  expect((await unset('unsetter', 'joinGroup')).data.permissions).toEqual({ createGroup: 'deny' })
  await expect(unset('unknown', 'joinGroup')).rejects.toMatchObject({
    code: 'ERR_ROLE_NOT_FOUND',
    status: 404,
  })
  await expect(unset('unsetter', 'fly')).rejects.toMatchObject({
    code: 'ERR_BAD_REQUEST',
    details: { permission: [expect.any(String)] },
  })
})
