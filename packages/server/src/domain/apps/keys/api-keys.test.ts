import { afterAll, describe, expect, test } from 'vitest'
import { auditOf } from '../../../../../testing/src/data/audit.ts'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'

let now = 1_700_000_000
const app = await startTestApp({ clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const { createApiKey, getApiKey, updateApiKey, deleteApiKey } = app.as('full')

const unknown = '0'.repeat(40)
const masked = (key: string) => `********${key.slice(-4)}`

describe('requirement 4.1: get API key', () => {
  test('requirement 4.1: GET /apikeys/{apiKey} with the apikey answers 200 and the key', async () => {
    const response = await fetch(`${app.origin}/v3/apikeys/${app.keys.auth}`, {
      headers: { appId: app.appId, apikey: app.keys.full },
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    expect(await response.json()).toEqual({
      data: {
        apiKey: app.keys.auth,
        name: 'Auth Key',
        scope: 'authOnly',
        createdAt: now,
        createdBy: 'app_system',
      },
    })
  })

  test('requirement 4.1: data has apiKey, name, scope, createdAt of any key of the app', async () => {
    const { data: made } = await createApiKey({ body: { name: 'Third', scope: 'fullAccess' } })
    const { data } = await getApiKey({ params: { apiKey: made.apiKey } })
    expect(data).toEqual({
      apiKey: expect.stringMatching(/^[0-9a-f]{40}$/),
      name: 'Third',
      scope: 'fullAccess',
      createdAt: now,
      createdBy: 'Rest API Key',
    })
    const client = app.client(app.keys, 'full')
    const own = await client.getApiKey({ params: { apiKey: app.keys.full } })
    expect(own.data.name).toBe('Rest API Key')
  })

  test('requirement 4.1: only a key of scope fullAccess may ask', async () => {
    await expect(
      app.as('auth').getApiKey({ params: { apiKey: app.keys.auth } }),
    ).rejects.toMatchObject({ code: 'AUTH_ERR_NO_ACCESS', status: 403 })
  })

  test('requirement 4.1: refuses an unknown key, and names it masked', async () => {
    const refusal = getApiKey({ params: { apiKey: unknown } })
    await expect(refusal).rejects.toMatchObject({
      code: 'ERR_APIKEY_NOT_FOUND',
      status: 404,
      message: expect.stringContaining(masked(unknown)),
    })
    await expect(refusal).rejects.not.toMatchObject({ message: expect.stringContaining(unknown) })
  })

  test('requirement 4.1: a key of another app is unknown here', async () => {
    const other = await app.anotherApp()
    await expect(getApiKey({ params: { apiKey: other.full } })).rejects.toMatchObject({
      code: 'ERR_APIKEY_NOT_FOUND',
    })
  })
})

describe('who may call at all', () => {
  const list = (keys: Partial<typeof app.keys>) =>
    app.client({ ...app.keys, ...keys }, 'full').listApiKeys()

  test('no app id, an unknown one, no key, an unknown key: each is refused by its name', async () => {
    await expect(list({ appId: '' })).rejects.toMatchObject({
      code: 'AUTH_ERR_EMPTY_APPID',
      status: 401,
    })
    for (const appId of ['nosuchapp', 'no such app', "x' or 1=1"]) {
      await expect(list({ appId })).rejects.toMatchObject({
        code: 'AUTH_ERR_INVALID_APPID',
        status: 401,
      })
    }
    await expect(list({ full: '' })).rejects.toMatchObject({
      code: 'AUTH_ERR_EMPTY_APIKEY',
      status: 401,
    })
    await expect(list({ full: unknown })).rejects.toMatchObject({
      code: 'AUTH_ERR_APIKEY_NOT_FOUND',
      status: 401,
      message: expect.stringContaining(masked(unknown)),
    })
    await list({})
  })

  test('a key opens its own app and no other', async () => {
    const other = await app.anotherApp()
    await expect(list({ full: other.full })).rejects.toMatchObject({
      code: 'AUTH_ERR_APIKEY_NOT_FOUND',
    })
  })
})

describe('create', () => {
  test('makes an auth-only key unless told otherwise, records who did it', async () => {
    const { data } = await createApiKey({ body: { name: 'Plain' } })
    expect(data).toEqual({
      apiKey: expect.stringMatching(/^[0-9a-f]{40}$/),
      name: 'Plain',
      scope: 'authOnly',
      createdAt: now,
      createdBy: 'Rest API Key',
    })
    expect((await auditOf(app.db, app.appId)).at(-1)).toEqual({
      at: now,
      caller: 'key:Rest API Key',
      operation: 'createApiKey',
      target: { body: { name: 'Plain', scope: 'authOnly' } },
    })
    const client = app.client({ ...app.keys, auth: data.apiKey }, 'auth')
    await client.createUser({ body: { uid: 'by-new-key', name: 'x' } })
    await expect(client.listApiKeys()).rejects.toMatchObject({ code: 'AUTH_ERR_NO_ACCESS' })
  })

  test('refuses a missing or long name, and an unknown scope', async () => {
    const wrong = [{ name: '' }, { name: 'x'.repeat(101) }, { name: 'x', scope: 'all' }]
    for (const body of wrong) {
      // Wrong on purpose: the compiler would refuse it too.
      await expect(createApiKey({ body: body as { name: string } })).rejects.toMatchObject({
        code: 'ERR_BAD_REQUEST',
        status: 400,
      })
    }
  })

  test('20 calls at the same moment never make more than 25 keys', async () => {
    await using busy = await startTestApp({ shadow: false })
    const calls = busy.as('full')
    let nth = 0
    const create = () => calls.createApiKey({ body: { name: `One of many ${++nth}` } })
    for (let n = 0; n < 13; n++) await create()
    const answers = await Promise.allSettled(Array.from({ length: 20 }, create))
    const refusals = answers.filter((answer) => answer.status === 'rejected')
    expect(refusals).toHaveLength(10)
    for (const { reason } of refusals) {
      expect(reason).toMatchObject({ code: 'ERR_PLAN_QUOTA_RESTRICTION', status: 403 })
    }
    expect((await calls.listApiKeys()).meta.pagination.total).toBe(25)
  })
})

test('lists keys by age, page by page, by scope and by the start of the name', async () => {
  await using fresh = await startTestApp({ clock: () => now })
  const calls = fresh.as('full')
  now++
  await calls.createApiKey({ body: { name: 'rest of it' } })
  now++
  await calls.createApiKey({ body: { name: 'Other_1', scope: 'fullAccess' } })
  type Query = NonNullable<Parameters<typeof calls.listApiKeys>[0]>['query']
  const names = async (query: Query) =>
    (await calls.listApiKeys({ query: query ?? {} })).data.map(({ name }) => name)
  const all = await names({})
  expect(all.slice(2)).toEqual(['rest of it', 'Other_1'])
  expect(all.slice(0, 2).toSorted()).toEqual(['Auth Key', 'Rest API Key'])
  expect(await names({ scope: 'fullAccess' })).toEqual(['Rest API Key', 'Other_1'])
  expect(await names({ searchKey: 'REST' })).toEqual(['Rest API Key', 'rest of it'])
  expect(await names({ searchKey: 'rest', scope: 'authOnly' })).toEqual(['rest of it'])
  expect(await names({ searchKey: 'other_' })).toEqual(['Other_1'])
  expect(await names({ searchKey: '_' })).toEqual([])
  expect(await names({ perPage: 3, page: 2 })).toEqual(['Other_1'])
  const { meta } = await calls.listApiKeys({ query: { perPage: 3, page: 2 } })
  expect(meta.pagination).toEqual({
    total: 4,
    count: 1,
    per_page: 3,
    current_page: 2,
    total_pages: 2,
  })
})

describe('update and delete', () => {
  test('renames a key and changes its scope at once', async () => {
    const { data: made } = await createApiKey({ body: { name: 'Before' } })
    const params = { apiKey: made.apiKey }
    const client = app.client({ ...app.keys, full: made.apiKey }, 'full')
    const { data } = await updateApiKey({ params, body: { name: 'After' } })
    expect(data).toEqual({ ...made, name: 'After' })
    await expect(client.listRoles()).rejects.toMatchObject({ code: 'AUTH_ERR_NO_ACCESS' })
    expect((await updateApiKey({ params, body: { scope: 'fullAccess' } })).data).toEqual({
      ...made,
      name: 'After',
      scope: 'fullAccess',
    })
    await client.listRoles()
    await expect(
      updateApiKey({ params: { apiKey: unknown }, body: { name: 'x' } }),
    ).rejects.toMatchObject({ code: 'ERR_APIKEY_NOT_FOUND', status: 404 })
    await expect(updateApiKey({ params, body: { name: '' } })).rejects.toMatchObject({
      code: 'ERR_BAD_REQUEST',
    })
  })

  test('a deleted key opens nothing any more', async () => {
    const { data: made } = await createApiKey({ body: { name: 'Leaving', scope: 'fullAccess' } })
    const params = { apiKey: made.apiKey }
    const client = app.client({ ...app.keys, full: made.apiKey }, 'full')
    await client.listRoles()
    expect((await deleteApiKey({ params })).data.success).toBe(true)
    await expect(client.listRoles()).rejects.toMatchObject({ code: 'AUTH_ERR_APIKEY_NOT_FOUND' })
    await expect(deleteApiKey({ params })).rejects.toMatchObject({
      code: 'ERR_APIKEY_NOT_FOUND',
      status: 404,
    })
  })

  test('a key may neither change nor delete itself', async () => {
    const params = { apiKey: app.keys.full }
    const client = app.client(app.keys, 'full')
    const refusal = { code: 'ERR_APIKEY_NO_SELF_ACTION', status: 403 }
    await expect(client.deleteApiKey({ params })).rejects.toMatchObject(refusal)
    await expect(client.updateApiKey({ params, body: { name: 'x' } })).rejects.toMatchObject(
      refusal,
    )
    await client.getApiKey({ params })
  })

  test('the audit log names the key masked', async () => {
    const { data: made } = await createApiKey({ body: { name: 'Audited' } })
    const params = { apiKey: made.apiKey }
    await updateApiKey({ params, body: { name: 'Audited twice' } })
    await deleteApiKey({ params })
    expect((await auditOf(app.db, app.appId)).slice(-2)).toMatchObject([
      {
        operation: 'updateApiKey',
        target: { params: { apiKey: masked(made.apiKey) }, body: { name: 'Audited twice' } },
      },
      { operation: 'deleteApiKey', target: { params: { apiKey: masked(made.apiKey) } } },
    ])
  })
})
