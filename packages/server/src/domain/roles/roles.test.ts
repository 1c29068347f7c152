import { afterAll, describe, expect, test } from 'vitest'
import { auditOf } from '../../../../testing/src/data/audit.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

let now = 1_700_000_000
const app = await startTestApp({ clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const { createRole, getRole, updateRole, deleteRole, updateUser, deleteUser } = app.as('full')

const whole = {
  name: 'Manager',
  description: 'Looks after others',
  metadata: { level: 3, nested: { a: [1] } },
  settings: { listUsers: 'friendsOnly', sendMessagesTo: 'all' },
} as const

describe('create', () => {
  test('creates a role with a lower-cased id, records it and who did it', async () => {
    const { data } = await createRole({ body: { role: 'Manager', ...whole } })
    expect(data).toEqual({ role: 'manager', ...whole, createdAt: now })
    expect((await app.events()).at(-1)).toEqual({
      name: 'role.created',
      payload: { role: 'manager' },
    })
    expect((await auditOf(app.db, app.appId)).at(-1)).toEqual({
      at: now,
      caller: 'key:Rest API Key',
      operation: 'createRole',
      target: { body: { role: 'manager', ...whole } },
    })
  })

  test('leaves out what is not set', async () => {
    const { data } = await createRole({ body: { role: 'plain', name: 'Plain' } })
    expect(data).toEqual({ role: 'plain', name: 'Plain', createdAt: now })
  })

  test('refuses a taken id, the default role included, and leaves no trace', async () => {
    await app.given.role('taken')
    const before = await auditOf(app.db, app.appId)
    for (const role of ['TAKEN', 'default']) {
      await expect(createRole({ body: { role, name: 'x' } })).rejects.toMatchObject({
        code: 'ERR_BAD_REQUEST',
        status: 400,
        details: { role: [expect.stringContaining('exists already')] },
      })
    }
    expect(await auditOf(app.db, app.appId)).toEqual(before)
  })

  test.each([
    ['no name', { name: '' }, 'name'],
    ['a blank in the id', { role: 'a b' }, 'role'],
    ['a description of 256 characters', { description: 'x'.repeat(256) }, 'description'],
    ['an unknown value of a setting', { settings: { listUsers: 'some' } }, 'settings.listUsers'],
  ])('refuses %s', async (_, wrong, field) => {
    // Wrong on purpose: the compiler would refuse it too.
    const body = { role: 'wrong', name: 'Wrong', ...wrong } as { role: string; name: string }
    await expect(createRole({ body })).rejects.toMatchObject({
      code: 'ERR_BAD_REQUEST',
      details: { [field]: [expect.any(String)] },
    })
  })

  test('an auth-only key cannot touch roles', async () => {
    const auth = app.as('auth')
    const refusal = { code: 'AUTH_ERR_NO_ACCESS', status: 403 }
    await expect(auth.createRole({ body: { role: 'x', name: 'x' } })).rejects.toMatchObject(refusal)
    await expect(auth.listRoles()).rejects.toMatchObject(refusal)
  })

  test('20 calls at the same moment never make more than 25 roles', async () => {
    await using busy = await startTestApp({ shadow: false })
    const calls = busy.as('full')
    const create = (role: string) => calls.createRole({ body: { role, name: role } })
    for (let n = 0; n < 14; n++) await create(`before-${n}`)
    const answers = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => create(`during-${n}`)),
    )
    const refusals = answers.filter((answer) => answer.status === 'rejected')
    expect(refusals).toHaveLength(10)
    for (const { reason } of refusals) {
      expect(reason).toMatchObject({ code: 'ERR_PLAN_QUOTA_RESTRICTION', status: 403 })
    }
    expect((await calls.listRoles()).meta.pagination.total).toBe(25)
    await calls.deleteRole({ params: { role: 'before-0' } })
    await create('after')
  })
})

test('lists roles in the order of their ids, page by page', async () => {
  await using fresh = await startTestApp()
  for (const role of ['b', 'c', 'a']) await fresh.given.role(role)
  const list = fresh.as('full').listRoles
  const { data, meta } = await list()
  expect(data.map(({ role }) => role)).toEqual(['a', 'b', 'c', 'default'])
  expect(meta.pagination).toEqual({
    total: 4,
    count: 4,
    per_page: 100,
    current_page: 1,
    total_pages: 1,
  })
  const second = await list({ query: { perPage: 3, page: 2 } })
  expect(second.data.map(({ role }) => role)).toEqual(['default'])
  expect(second.meta.pagination).toMatchObject({ total: 4, count: 1, total_pages: 2 })
  await expect(list({ query: { perPage: 0 } })).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' })
})

describe('requirement 4.11: get role', () => {
  test('requirement 4.11: GET /roles/{role} with the apikey answers 200 and the role', async () => {
    await createRole({ body: { role: 'wire', ...whole } })
    const response = await fetch(`${app.origin}/v3/roles/wire`, {
      headers: { appId: app.appId, apikey: app.keys.full },
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    expect(await response.json()).toEqual({ data: { role: 'wire', ...whole, createdAt: now } })
  })

  test('requirement 4.11: data is the role, whatever the case of the path', async () => {
    await createRole({ body: { role: 'seen', ...whole } })
    const { data } = await getRole({ params: { role: 'SEEN' } })
    expect(data).toEqual({ role: 'seen', ...whole, createdAt: now })
    expect((await getRole({ params: { role: 'default' } })).data).toEqual({
      role: 'default',
      name: 'Default',
      createdAt: expect.any(Number),
    })
    await expect(getRole({ params: { role: 'unseen' } })).rejects.toMatchObject({
      code: 'ERR_ROLE_NOT_FOUND',
      status: 404,
    })
  })
})

describe('requirement 4.9: update role', () => {
  test('requirement 4.9: PUT /roles/{role} changes what is sent and answers the role', async () => {
    await createRole({ body: { role: 'changing', ...whole } })
    const params = { role: 'Changing' }
    const updatedAt = ++now
    const { data } = await updateRole({
      params,
      body: {
        name: 'New name',
        description: 'New text',
        metadata: { other: true },
        settings: { listUsers: 'all', sendMessagesTo: 'friendsOnly' },
      },
    })
    expect(data).toEqual({
      role: 'changing',
      name: 'New name',
      description: 'New text',
      metadata: { other: true },
      settings: { listUsers: 'all', sendMessagesTo: 'friendsOnly' },
      createdAt: updatedAt - 1,
      updatedAt,
    })
    expect((await getRole({ params })).data).toEqual(data)
    expect((await app.events()).at(-1)).toEqual({
      name: 'role.updated',
      payload: { role: 'changing' },
    })
    expect((await auditOf(app.db, app.appId)).at(-1)).toMatchObject({
      operation: 'updateRole',
      target: { params: { role: 'changing' }, body: { name: 'New name' } },
    })
  })

  test('requirement 4.9: the name is empty by default, which leaves it as it is', async () => {
    await createRole({ body: { role: 'named', ...whole } })
    const params = { role: 'named' }
    const { data } = await updateRole({ params, body: { name: '', description: 'Other' } })
    expect(data).toMatchObject({ ...whole, description: 'Other' })
    expect((await updateRole({ params })).data).toMatchObject({ ...whole, description: 'Other' })
  })

  test.each(['settings', 'description', 'metadata'] as const)(
    'requirement 4.9: unset removes the attribute %s and no other',
    async (attribute) => {
      const role = `unset-${attribute}`
      await createRole({ body: { role, ...whole } })
      const { data } = await updateRole({ params: { role }, body: { unset: [attribute] } })
      const { [attribute]: _, ...rest } = whole
      expect(data).toEqual({ role, ...rest, createdAt: now, updatedAt: now })
      expect((await getRole({ params: { role } })).data).toEqual(data)
    },
  )

  test('requirement 4.9: unset removes all three at once', async () => {
    await createRole({ body: { role: 'unset-all', ...whole } })
    const { data } = await updateRole({
      params: { role: 'unset-all' },
      body: { unset: ['settings', 'description', 'metadata'] },
    })
    expect(data).toEqual({ role: 'unset-all', name: 'Manager', createdAt: now, updatedAt: now })
  })

  test.each(['listUsers', 'sendMessagesTo'])(
    'requirement 4.9: the setting %s takes all or friendsOnly, nothing else',
    async (setting) => {
      const role = `setting-${setting.toLowerCase()}`
      await createRole({ body: { role, name: 'x' } })
      const set = async (value: string) => {
        const settings: object = { [setting]: value }
        return (await updateRole({ params: { role }, body: { settings } })).data.settings
      }
      for (const value of ['all', 'friendsOnly']) {
        expect(await set(value)).toEqual({ [setting]: value })
      }
      await expect(set('nobody')).rejects.toMatchObject({
        code: 'ERR_BAD_REQUEST',
        details: { [`settings.${setting}`]: [expect.any(String)] },
      })
    },
  )

  test('requirement 4.9: refuses an unknown role, and to unset anything else', async () => {
    await expect(
      updateRole({ params: { role: 'unknown' }, body: { name: 'x' } }),
    ).rejects.toMatchObject({ code: 'ERR_ROLE_NOT_FOUND', status: 404 })
    // Wrong on purpose: the compiler would refuse it too.
    const unset = ['name'] as string[] as ['settings']
    await expect(
      updateRole({ params: { role: 'default' }, body: { unset } }),
    ).rejects.toMatchObject({
      code: 'ERR_BAD_REQUEST',
      details: { 'unset.0': [expect.any(String)] },
    })
  })
})

describe('delete', () => {
  test('deletes a role that no user has, records it and who did it', async () => {
    await app.given.role('leaving')
    await app.given.user('leaver', { role: 'leaving' })
    const remove = () => deleteRole({ params: { role: 'Leaving' } })
    await expect(remove()).rejects.toMatchObject({ code: 'ERR_ROLE_DELETE_DENIED', status: 403 })
    await updateUser({ params: { uid: 'leaver' }, body: { role: 'default' } })
    expect((await remove()).data.success).toBe(true)
    expect((await app.events()).at(-1)).toEqual({
      name: 'role.deleted',
      payload: { role: 'leaving' },
    })
    expect((await auditOf(app.db, app.appId)).at(-1)).toMatchObject({
      operation: 'deleteRole',
      target: { params: { role: 'leaving' } },
    })
    await expect(remove()).rejects.toMatchObject({ code: 'ERR_ROLE_NOT_FOUND', status: 404 })
  })

  test('a deactivated user still has the role', async () => {
    await app.given.role('asleep')
    await app.given.user('sleeper', { role: 'asleep' })
    await deleteUser({ params: { uid: 'sleeper' } })
    await expect(deleteRole({ params: { role: 'asleep' } })).rejects.toMatchObject({
      code: 'ERR_ROLE_DELETE_DENIED',
    })
    await deleteUser({ params: { uid: 'sleeper' }, body: { permanent: true } })
    await deleteRole({ params: { role: 'asleep' } })
  })

  test('the role default stays for ever', async () => {
    await expect(deleteRole({ params: { role: 'DEFAULT' } })).rejects.toMatchObject({
      code: 'ERR_ROLE_DELETE_DENIED',
    })
  })

  test('a role deleted while users are given it is refused to one side', async () => {
    await using busy = await startTestApp({ shadow: false })
    const calls = busy.as('full')
    for (let round = 0; round < 15; round++) {
      const role = `contested-${round}`
      await busy.given.role(role)
      const [deleted, ...created] = await Promise.allSettled([
        calls.deleteRole({ params: { role } }),
        ...['a', 'b', 'c'].map((name) =>
          calls.createUser({ body: { uid: `${name}-${round}`, name, role } }),
        ),
      ])
      const refused = created.filter((answer) => answer.status === 'rejected')
      if (deleted.status === 'fulfilled') {
        expect(refused.map(({ reason }) => reason.code)).toEqual(
          Array.from({ length: 3 }, () => 'ERR_BAD_REQUEST'),
        )
      } else {
        expect(deleted.reason).toMatchObject({ code: 'ERR_ROLE_DELETE_DENIED' })
        expect(refused).toEqual([])
        for (const name of ['a', 'b', 'c']) {
          const params = { uid: `${name}-${round}` }
          await calls.deleteUser({ params, body: { permanent: true } })
        }
        await calls.deleteRole({ params: { role } })
      }
    }
  })
})
