import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { auditOf } from '../../../../testing/src/data/audit.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

const now = 1_700_000_000
const app = await startTestApp({ clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const { createApp, listApps, deleteApp } = app.as('full')

const keysOf = (data: Awaited<ReturnType<typeof createApp>>['data']) => {
  const made = Object.values(data.apiKeys ?? {})
  const ofScope = (scope: string) => made.find((key) => key.scope === scope)?.apiKey ?? ''
  return { appId: data.id, full: ofScope('fullAccess'), auth: ofScope('authOnly') }
}

describe('create', () => {
  test('makes an app with two keys, the default role and the system user', async () => {
    const { data } = await createApp({ body: { name: 'Acme', region: 'eu' } })
    const keys = keysOf(data)
    expect(data).toMatchObject({
      id: expect.stringMatching(/^[a-z][a-z0-9]{11}$/),
      name: 'Acme',
      region: 'eu',
      state: 'active',
      createdAt: now,
      appRegion: { id: 'eu', name: 'Europe' },
    })
    const key = { createdAt: now, createdBy: 'app_system' }
    expect(data.apiKeys).toEqual({
      [keys.full]: { apiKey: keys.full, name: 'Rest API Key', scope: 'fullAccess', ...key },
      [keys.auth]: { apiKey: keys.auth, name: 'Auth Key', scope: 'authOnly', ...key },
    })
    const client = app.client(keys, 'full')
    expect((await client.getUser({ params: { uid: 'app_system' } })).data).toMatchObject({
      name: 'System',
      role: 'default',
    })
    expect((await client.listUsers()).data).toEqual([])
    expect((await client.listRoles()).data.map(({ role }) => role)).toEqual(['default'])
    expect((await auditOf(app.db, '')).at(-1)).toEqual({
      at: now,
      caller: 'management:tests',
      operation: 'createApp',
      target: { body: expect.objectContaining({ name: 'Acme', region: 'eu' }) },
    })
  })

  test('answers under the host name of its own region only', async () => {
    const { data } = await createApp({ body: { name: 'Regional', region: 'in' } })
    const keys = keysOf(data)
    const call = (region: string) => rolesAt(`${data.id}.api-${region}.example.com`, keys.full)
    expect(await call('in')).toMatchObject({ status: 200 })
    expect(await call('us')).toMatchObject({
      status: 401,
      body: { error: { code: 'AUTH_ERR_INVALID_APPID' } },
    })
  })

  test('refuses no name, a long name, and a region that does not exist', async () => {
    const wrong = [{ name: '' }, { name: 'x'.repeat(101) }, { name: 'x', region: 'moon' }]
    for (const body of wrong) {
      // Wrong on purpose: the compiler would refuse it too.
      await expect(createApp({ body: body as { name: string } })).rejects.toMatchObject({
        code: 'ERR_BAD_REQUEST',
        status: 400,
      })
    }
  })
})

test('only the operator may manage apps', async () => {
  const listAs = (key: string, secret: string) =>
    app.client(app.keys, 'full', { key, secret }).listApps()
  const { key, secret } = app.management
  await listAs(key, secret)
  for (const [one, other] of [
    ['', ''],
    [key, ''],
    ['', secret],
  ] as const) {
    await expect(listAs(one, other)).rejects.toMatchObject({
      code: 'AUTH_ERR_EMPTY_AUTH_HEADER',
      status: 401,
    })
  }
  for (const [one, other] of [
    [key, 'wrong'],
    ['wrong', secret],
    [secret, key],
  ] as const) {
    await expect(listAs(one, other)).rejects.toMatchObject({
      code: 'AUTH_ERR_MANAGEMENT_KEY_NOT_FOUND',
      status: 401,
    })
  }
})

test('lists apps page by page, by the start of id or name', async () => {
  await using fresh = await startTestApp()
  const calls = fresh.as('full')
  const { data: north } = await calls.createApp({ body: { name: 'North' } })
  await calls.createApp({ body: { name: 'Northern_Lights' } })
  type Query = NonNullable<Parameters<typeof listApps>[0]>['query']
  const found = async (query: Query) =>
    (await calls.listApps({ query: query ?? {} })).data.map(({ name }) => name).toSorted()
  expect(await found({})).toEqual(['North', 'Northern_Lights', 'Test', 'Test'])
  expect(await found({ searchKey: 'nORTH' })).toEqual(['North', 'Northern_Lights'])
  expect(await found({ searchKey: 'northern_' })).toEqual(['Northern_Lights'])
  expect(await found({ searchKey: north.id.toUpperCase() })).toEqual(['North'])
  expect(await found({ searchKey: '%' })).toEqual([])
  const [one] = (await calls.listApps({ query: { searchKey: north.id } })).data
  expect(one).toEqual(north)
  const second = await calls.listApps({ query: { perPage: 3, page: 2 } })
  expect(second.data).toHaveLength(1)
  expect(second.meta.pagination).toEqual({
    total: 4,
    count: 1,
    per_page: 3,
    current_page: 2,
    total_pages: 2,
  })
})

test('a deleted app answers nothing from then on, and is gone after 30 days', async () => {
  const keys = await app.anotherApp()
  const client = app.client(keys, 'full')
  const params = { appId: keys.appId }
  await client.listRoles()
  const { data } = await client.deleteApp({ params })
  expect(data).toEqual({ success: true, scheduledToDeleteAt: now + 30 * 86_400 })
  expect((await auditOf(app.db, keys.appId)).at(-1)).toEqual({
    at: now,
    caller: 'management:tests',
    operation: 'deleteApp',
    target: { params },
  })
  await expect(client.listRoles()).rejects.toMatchObject({ code: 'AUTH_ERR_INVALID_APPID' })
  expect((await listApps({ query: { searchKey: keys.appId } })).data).toEqual([])
  await expect(client.deleteApp({ params })).rejects.toMatchObject({
    code: 'ERR_APP_NOT_FOUND',
    status: 404,
  })
  await expect(deleteApp({ params: { appId: 'nosuchapp' } })).rejects.toMatchObject({
    code: 'ERR_APP_NOT_FOUND',
  })
})

test('no key, token or secret is in the database in plain text', async () => {
  const calls = app.as('full')
  const { data: key } = await calls.createApiKey({ body: { name: 'Secret' } })
  await calls.updateApiKey({ params: { apiKey: key.apiKey }, body: { name: 'Renamed' } })
  const { data: user } = await calls.createUser({
    body: { uid: 'holder', name: 'Holder', withAuthToken: true },
  })
  const params = { uid: 'holder', authToken: user.authToken ?? '' }
  await calls.updateAuthToken({ params, body: { platform: 'ios' } })
  const { data: token } = await calls.createAuthToken({ params: { uid: 'holder' } })
  const { data: gone } = await calls.createAuthToken({
    params: { uid: 'holder' },
    body: { force: true },
  })
  await calls.deleteAuthToken({ params: { uid: 'holder', authToken: gone.authToken } })
  const secrets = [
    key.apiKey,
    app.keys.full,
    app.keys.auth,
    params.authToken,
    token.authToken,
    gone.authToken,
    app.management.secret,
  ]
  const dump = (await everyRow()).join('\n')
  expect(dump).toContain('holder')
  expect(dump).toContain(app.management.key)
  for (const secret of secrets) {
    const bytes = Buffer.from(secret)
    for (const form of [secret, bytes.toString('hex'), bytes.toString('base64')]) {
      expect(dump.includes(form)).toBe(false)
    }
  }
})

/** `fetch` sets the host name itself, so this call is made by hand. */
async function rolesAt(host: string, apikey: string) {
  const request = get(`${app.origin}/v3/roles`, { headers: { host, apikey } })
  const [response]: IncomingMessage[] = await once(request, 'response')
  if (!response) throw new Error('no response')
  return { status: response.statusCode, body: await json(response) }
}

/** Every row of every table as text; bytes are shown in hex. */
async function everyRow(): Promise<string[]> {
  const tables = await sql<{ name: string }>`
    select quote_ident(table_name) as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`.execute(app.db)
  const rows: string[] = []
  for (const { name } of tables.rows) {
    const found = await sql<{ text: string }>`
      select r::text as text from ${sql.raw(name)} r`.execute(app.db)
    rows.push(...found.rows.map(({ text }) => text))
  }
  return rows
}
