import { afterAll, describe, expect, test } from 'vitest'
import { errorOf, send, type WireRequest } from '../../../testing/src/network/wire.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'

/** What public clients and test suites expect of an answer. */
const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
await app.given.users('ann', 'bob', 'cid')
await app.given.group('tea', { owner: 'ann', members: { participants: ['bob'] } })

async function call(method: string, path: string, body?: object, onBehalfOf?: string) {
  const headers = { appId: app.appId, apikey: app.keys.full, ...(onBehalfOf && { onBehalfOf }) }
  const request: WireRequest = { method, path, headers }
  const answer = await send(app.origin, {
    ...request,
    ...(body && {
      body: JSON.stringify(body),
      headers: { ...headers, 'content-type': 'application/json' },
    }),
  })
  return { ...answer, data: answer.status === 200 ? JSON.parse(answer.text).data : undefined }
}

describe('an id that nothing can have', () => {
  test.each([
    ['/v3/users/%20', 'ERR_UID_NOT_FOUND'],
    ['/v3/users/ann@example.com', 'ERR_UID_NOT_FOUND'],
    ['/v3/groups/%20', 'ERR_GUID_NOT_FOUND'],
    ['/v3/groups/tea/members?perPage=1'.replace('tea', 'a%20b'), 'ERR_GUID_NOT_FOUND'],
    ['/v3/roles/%20', 'ERR_ROLE_NOT_FOUND'],
  ])('%s is not found', async (path, code) => {
    const answer = await call('GET', path)
    expect(answer.status).toBe(404)
    expect(errorOf(answer).code).toBe(code)
  })

  test('is refused where it is to be given', async () => {
    const answer = await call('POST', '/v3/users', { uid: ' ', name: 'Blank' })
    expect(errorOf(answer).details).toHaveProperty('uid')
  })
})

describe('users', () => {
  test('unknown uids come back as they were sent', async () => {
    const off = { uidsToDeactivate: ['InvalidUserUID'] }
    expect((await call('DELETE', '/v3/users', off)).data).toEqual({ notFound: ['InvalidUserUID'] })
    const on = { uidsToActivate: ['InvalidUID', 'CID'] }
    const { data } = await call('PUT', '/v3/users', on)
    expect(data).toEqual({ nonDeactivatedUids: ['cid'], notFound: ['InvalidUID'] })
  })

  test('a link with blanks and letters of any script is encoded', async () => {
    const avatar = 'https://cdn.example/My Photo é.png?size=2&a=%20'
    const { data } = await call('PUT', '/v3/users/ann', { avatar })
    expect(data.avatar).toBe('https://cdn.example/My%20Photo%20%C3%A9.png?size=2&a=%20')
  })

  test.each(['Invalid:https://data.example/a.png', 'javascript:alert(1)', '/img/a.png'])(
    'the link %s is refused',
    async (avatar) => {
      const answer = await call('PUT', '/v3/users/ann', { avatar })
      expect(answer.status).toBe(400)
      expect(errorOf(answer).details).toHaveProperty('avatar')
    },
  )

  test('a tag that cannot be seen is refused', async () => {
    const answer = await call('PUT', '/v3/users/ann', { tags: ['seen', ' '] })
    expect(errorOf(answer).details).toHaveProperty(['tags.1'])
  })
})

describe('API keys', () => {
  test('have names that can be seen and told apart', async () => {
    const body = { name: 'Shop', scope: 'authOnly' }
    expect((await call('POST', '/v3/apikeys', body)).status).toBe(200)
    const taken = await call('POST', '/v3/apikeys', body)
    expect(taken.status).toBe(400)
    expect(errorOf(taken).details).toEqual({ name: ['Another key is called Shop.'] })
    const blank = await call('POST', '/v3/apikeys', { name: ' ' })
    expect(errorOf(blank).details).toHaveProperty('name')
  })

  test('keep their name when they are given it again, and take no other key’s', async () => {
    const { data } = await call('POST', '/v3/apikeys', { name: 'Till' })
    const path = `/v3/apikeys/${data.apiKey}`
    expect((await call('PUT', path, { name: 'Till', scope: 'fullAccess' })).status).toBe(200)
    await call('POST', '/v3/apikeys', { name: 'Cash' })
    expect(errorOf(await call('PUT', path, { name: 'Cash' })).details).toHaveProperty('name')
  })

  test('are listed by a scope in any case, and not by one that there is not', async () => {
    const unknown = await call('GET', '/v3/apikeys?scope=authOnlys')
    expect(errorOf(unknown).details).toHaveProperty('scope')
    const { data } = await call('GET', '/v3/apikeys?scope=FULLACCESS')
    expect(data.map(({ scope }: { scope: string }) => scope)).toContain('fullAccess')
  })
})

describe('groups and roles', () => {
  test('sortOrder in capitals', async () => {
    const answer = await call(
      'GET',
      '/v3/groups?sortBy=name&sortOrder=DESC&perPage=1',
      undefined,
      'ann',
    )
    expect(answer.status).toBe(200)
  })

  test('the scope that a member has already is 403', async () => {
    const answer = await call('PUT', '/v3/groups/tea/members/bob', { scope: 'participant' })
    expect(answer.status).toBe(403)
    expect(errorOf(answer).code).toBe('ERR_SAME_SCOPE')
  })

  test('an empty name leaves a role as it is', async () => {
    await app.given.role('teacher', { name: 'Teacher' })
    const { data } = await call('PUT', '/v3/roles/teacher', { name: '', description: 'x' })
    expect(data).toMatchObject({ name: 'Teacher', description: 'x' })
  })
})

describe('second spellings of a path', () => {
  test.each([
    '/v3/users/ann/',
    '/v3.0/users/ann',
    '/v3//users/ann',
    '//v3/users//ann',
    '/v3/users/ANN',
  ])('%s', async (path) => {
    expect((await call('GET', path)).data).toMatchObject({ uid: 'ann' })
  })

  test.each([
    ['PATCH', '/v3/users/cid'],
    ['POST', '/v3/users/cid'],
    ['PATCH', '/v3/groups/tea'],
    ['PATCH', '/v3/roles/default'],
  ])('%s %s updates, as PUT does', async (method, path) => {
    const name = `By ${method}`
    expect((await call(method, path, { name })).data).toMatchObject({ name })
    expect((await call('GET', path)).data).toMatchObject({ name })
  })
})
