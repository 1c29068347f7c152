import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const {
  createAuthToken,
  listAuthTokens,
  getAuthToken,
  updateAuthToken,
  deleteAuthToken,
  deleteAuthTokens,
  deactivateUsers,
} = app.as('full')

const newToken = async (uid: string) =>
  (await createAuthToken({ params: { uid }, body: { force: true } })).data.authToken

describe('create', () => {
  test('M5: makes a new token every time, so that sessions end one by one', async () => {
    await app.given.users('ann')
    const params = { uid: 'Ann' }
    const { data } = await createAuthToken({ params })
    expect(data).toEqual({
      uid: 'ann',
      authToken: expect.stringMatching(/^ann_\d{10}[0-9a-f]{40}$/),
      createdAt: expect.any(Number),
    })
    const second = (await createAuthToken({ params, body: { force: false } })).data.authToken
    const third = (await createAuthToken({ params, body: { force: true } })).data.authToken
    expect(new Set([data.authToken, second, third]).size).toBe(3)
    await deleteAuthToken({ params: { uid: 'ann', authToken: second } })
    const { data: left } = await listAuthTokens({ params })
    expect(left.map(({ authToken }) => authToken)).toEqual([third, data.authToken])
    await expect(createAuthToken({ params: { uid: 'nobody' } })).rejects.toMatchObject({
      code: 'ERR_UID_NOT_FOUND',
      status: 404,
    })
  })

  test('M5: an auth-only key makes none for the system user', async () => {
    const params = { uid: 'app_system' }
    const refusal = { code: 'AUTH_ERR_NO_ACCESS', status: 403 }
    await expect(app.as('auth').createAuthToken({ params })).rejects.toMatchObject(refusal)
    expect((await createAuthToken({ params })).data.uid).toBe('app_system')
  })

  test('an auth-only key makes tokens and cannot see or delete any', async () => {
    await app.given.users('by-auth')
    const params = { uid: 'by-auth' }
    const auth = app.as('auth')
    const { data } = await auth.createAuthToken({ params })
    const one = { params: { ...params, authToken: data.authToken } }
    const refusal = { code: 'AUTH_ERR_NO_ACCESS', status: 403 }
    await expect(auth.listAuthTokens({ params })).rejects.toMatchObject(refusal)
    await expect(auth.getAuthToken(one)).rejects.toMatchObject(refusal)
    await expect(auth.deleteAuthToken(one)).rejects.toMatchObject(refusal)
    await expect(auth.deleteAuthTokens({ params })).rejects.toMatchObject(refusal)
    await expect(auth.updateAuthToken({ ...one, body: {} })).rejects.toMatchObject(refusal)
  })

  test('keeps the 100 newest tokens, also when many are made at the same moment', async () => {
    await using busy = await startTestApp({ shadow: false })
    await busy.given.users('many')
    const params = { uid: 'many' }
    const { createAuthToken: create, listAuthTokens: list, getAuthToken: get } = busy.as('full')
    const force = async () => (await create({ params, body: { force: true } })).data.authToken
    const oldest = await force()
    await Promise.all(Array.from({ length: 120 }, force))
    const newest = [await force(), await force()]
    const { data, meta } = await list({ params })
    expect(meta.pagination).toMatchObject({ total: 100, count: 100, total_pages: 1 })
    expect(data.slice(0, 2).map(({ authToken }) => authToken)).toEqual(newest.reverse())
    await expect(get({ params: { ...params, authToken: oldest } })).rejects.toMatchObject({
      code: 'ERR_AUTH_TOKEN_NOT_FOUND',
    })
    await Promise.all(Array.from({ length: 20 }, force))
    expect((await list({ params })).meta.pagination.total).toBe(100)
  })
})

describe('list', () => {
  test('lists tokens page by page, newest first', async () => {
    await app.given.users('lister')
    const params = { uid: 'lister' }
    const tokens: string[] = []
    for (let n = 0; n < 3; n++) tokens.unshift(await newToken('lister'))
    const page = async (n: number) => listAuthTokens({ params, query: { perPage: 2, page: n } })
    const [first, second] = [await page(1), await page(2)]
    expect([...first.data, ...second.data].map(({ authToken }) => authToken)).toEqual(tokens)
    expect(second.meta.pagination).toEqual({
      total: 3,
      count: 1,
      per_page: 2,
      current_page: 2,
      total_pages: 2,
    })
    await expect(listAuthTokens({ params: { uid: 'nobody' } })).rejects.toMatchObject({
      code: 'ERR_UID_NOT_FOUND',
    })
  })
})

describe('one token', () => {
  test('is shown to its user and to no one else', async () => {
    await app.given.users('owner', 'other')
    const authToken = await newToken('owner')
    const { data } = await getAuthToken({ params: { uid: 'owner', authToken } })
    expect(data).toMatchObject({ uid: 'owner', authToken })
    await expect(getAuthToken({ params: { uid: 'other', authToken } })).rejects.toMatchObject({
      code: 'ERR_AUTHTOKEN_NOT_ACCESSIBLE',
      status: 403,
    })
    const unknown = { uid: 'owner', authToken: 'owner_1' }
    await expect(getAuthToken({ params: unknown })).rejects.toMatchObject({
      code: 'ERR_AUTH_TOKEN_NOT_FOUND',
      status: 404,
    })
    await expect(getAuthToken({ params: { uid: 'nobody', authToken } })).rejects.toMatchObject({
      code: 'ERR_UID_NOT_FOUND',
    })
  })

  test('is worth nothing in another app that has the same user', async () => {
    await app.given.users('everywhere')
    const authToken = await newToken('everywhere')
    const elsewhere = app.client(await app.anotherApp(), 'full')
    await elsewhere.createUser({ body: { uid: 'everywhere', name: 'x' } })
    await expect(
      elsewhere.getAuthToken({ params: { uid: 'everywhere', authToken } }),
    ).rejects.toMatchObject({ code: 'ERR_AUTH_TOKEN_NOT_FOUND' })
  })

  test('is bound to one device, and stays with it', async () => {
    await app.given.users('device', 'other-device')
    const authToken = await newToken('device')
    const params = { uid: 'device', authToken }
    const bind = (platform: string) =>
      updateAuthToken({
        params,
        body: { platform, userAgent: 'x/1', appInfo: { version: '1' } },
      })
    expect((await bind('ios')).data).toMatchObject({ uid: 'device', authToken })
    await bind('ios')
    const { rows } = await sql<object>`
      select platform, user_agent, app_info from auth_tokens
      where app_id = ${app.appId} and uid = 'device'`.execute(app.db)
    expect(rows).toEqual([{ platform: 'ios', user_agent: 'x/1', app_info: { version: '1' } }])
    await expect(bind('android')).rejects.toMatchObject({
      code: 'ERR_AUTHTOKEN_UNAVAILABLE',
      status: 409,
    })
    const wrong = (uid: string, token: string) =>
      updateAuthToken({ params: { uid, authToken: token }, body: { platform: 'ios' } })
    await expect(wrong('other-device', authToken)).rejects.toMatchObject({
      code: 'ERR_AUTHTOKEN_NOT_ACCESSIBLE',
    })
    await expect(wrong('device', 'x')).rejects.toMatchObject({ code: 'ERR_AUTH_TOKEN_NOT_FOUND' })
    await expect(wrong('nobody', authToken)).rejects.toMatchObject({ code: 'ERR_UID_NOT_FOUND' })
  })

  test('is bound once when two devices ask at the same moment', async () => {
    await using busy = await startTestApp({ shadow: false })
    await busy.given.users('contested')
    const { createAuthToken: create, updateAuthToken: update } = busy.as('full')
    for (let round = 0; round < 10; round++) {
      const made = await create({ params: { uid: 'contested' }, body: { force: true } })
      const params = { uid: 'contested', authToken: made.data.authToken }
      const answers = await Promise.allSettled(
        ['ios', 'android', 'web'].map((platform) => update({ params, body: { platform } })),
      )
      const refusals = answers.filter((answer) => answer.status === 'rejected')
      expect(refusals.map(({ reason }) => reason.code)).toEqual([
        'ERR_AUTHTOKEN_UNAVAILABLE',
        'ERR_AUTHTOKEN_UNAVAILABLE',
      ])
    }
  })

  test('is deleted alone', async () => {
    await app.given.users('single', 'not-single')
    const kept = await newToken('single')
    const authToken = await newToken('single')
    const remove = (uid: string) => deleteAuthToken({ params: { uid, authToken } })
    await expect(remove('not-single')).rejects.toMatchObject({
      code: 'ERR_AUTHTOKEN_NOT_ACCESSIBLE',
    })
    await expect(remove('nobody')).rejects.toMatchObject({ code: 'ERR_UID_NOT_FOUND' })
    expect((await remove('single')).data.success).toBe(true)
    expect((await app.events()).at(-1)).toEqual({
      name: 'authTokens.revoked',
      payload: { uid: 'single' },
    })
    await expect(remove('single')).rejects.toMatchObject({ code: 'ERR_AUTH_TOKEN_NOT_FOUND' })
    const { data } = await listAuthTokens({ params: { uid: 'single' } })
    expect(data.map((token) => token.authToken)).toEqual([kept])
  })
})

test('all tokens of a user are deleted at once, and no one else loses any', async () => {
  await app.given.users('flushed', 'kept')
  await newToken('flushed')
  await newToken('flushed')
  await newToken('kept')
  expect((await deleteAuthTokens({ params: { uid: 'flushed' } })).data.success).toBe(true)
  expect((await app.events()).at(-1)).toEqual({
    name: 'authTokens.revoked',
    payload: { uid: 'flushed' },
  })
  expect((await listAuthTokens({ params: { uid: 'flushed' } })).data).toEqual([])
  expect((await listAuthTokens({ params: { uid: 'kept' } })).data).toHaveLength(1)
  await expect(deleteAuthTokens({ params: { uid: 'nobody' } })).rejects.toMatchObject({
    code: 'ERR_UID_NOT_FOUND',
  })
})

test('a deactivated user has no tokens to give', async () => {
  await app.given.users('asleep')
  const authToken = await newToken('asleep')
  await deactivateUsers({ body: { uidsToDeactivate: ['asleep'] } })
  const refusal = { code: 'ERR_UID_NOT_FOUND' }
  await expect(newToken('asleep')).rejects.toMatchObject(refusal)
  await expect(getAuthToken({ params: { uid: 'asleep', authToken } })).rejects.toMatchObject(
    refusal,
  )
})
