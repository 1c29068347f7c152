import { allOperations } from '@chorale/contract/api'
import { afterAll, describe, expect, test } from 'vitest'
import { auditOf } from '../../../../testing/src/data/audit.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { features } from './features.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const { restrictFeatures, listRestrictedFeatures, allowFeatures } = app.as('full')

const restrict = (role: string, ...featuresToRestrict: string[]) =>
  restrictFeatures({ params: { role }, body: { featuresToRestrict } })
const restricted = async (role: string) =>
  (await listRestrictedFeatures({ params: { role } })).data.map(({ key }) => key)

describe('restrict', () => {
  test('takes features with and without the prefix, with a result per feature', async () => {
    await app.given.role('guest')
    const { data } = await restrict('Guest', 'listUsers', 'u.getUser', 'u.listUsers', 'fly')
    expect(data).toEqual({
      'u.listUsers': { success: true, message: expect.any(String) },
      'u.getUser': { success: true, message: expect.any(String) },
      'u.fly': { success: false, message: expect.any(String) },
    })
    expect(await restricted('guest')).toEqual(['u.getUser', 'u.listUsers'])
    expect((await app.events()).at(-1)).toEqual({
      name: 'role.featuresRestricted',
      payload: { role: 'guest', features: ['listUsers', 'getUser'] },
    })
    expect((await auditOf(app.db, app.appId)).at(-1)).toMatchObject({
      caller: 'key:Rest API Key',
      operation: 'restrictFeatures',
      target: {
        params: { role: 'guest' },
        body: { featuresToRestrict: ['listUsers', 'u.getUser', 'u.listUsers', 'fly'] },
      },
    })
    await restrict('guest', 'getUser')
    expect(await restricted('guest')).toHaveLength(2)
  })

  test('refuses an unknown role and an empty list', async () => {
    await app.given.role('refusing')
    await expect(restrict('unknown', 'listUsers')).rejects.toMatchObject({
      code: 'ERR_ROLE_NOT_FOUND',
      status: 404,
    })
    await expect(restrict('refusing')).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' })
  })
})

describe('list', () => {
  test('shows what each feature is, page by page, in order', async () => {
    await app.given.role('lister')
    await app.given.role('free')
    await restrict('lister', 'sendMessage', 'joinGroup', 'ban', 'getUser')
    const params = { role: 'LISTER' }
    const { data, meta } = await listRestrictedFeatures({ params, query: { perPage: 2 } })
    expect(data.map(({ key }) => key)).toEqual(['u.ban', 'u.getUser'])
    expect(data[1]).toEqual({
      key: 'u.getUser',
      title: 'Get a user',
      description: expect.any(String),
      path: '/v3/users/{{uid}}',
      createdAt: expect.any(Number),
    })
    expect(meta.pagination).toEqual({
      total: 3,
      count: 2,
      per_page: 2,
      current_page: 1,
      total_pages: 2,
    })
    const second = await listRestrictedFeatures({ params, query: { perPage: 2, page: 2 } })
    expect(second.data.map(({ key }) => key)).toEqual(['u.joinGroup'])
    expect(await restricted('free')).toEqual([])
    await expect(restricted('unknown')).rejects.toMatchObject({ code: 'ERR_ROLE_NOT_FOUND' })
  })
})

describe('allow', () => {
  const allow = (role: string, body: { featuresToAllow?: string[]; allowAll?: boolean }) =>
    allowFeatures({ params: { role }, body })

  test('allows features with and without the prefix, or all of them', async () => {
    await app.given.role('allowed')
    const names = [...features.keys()]
    await restrict('allowed', ...names)
    expect(await restricted('allowed')).toHaveLength(names.length)
    const { data } = await allow('Allowed', { featuresToAllow: ['ban', 'u.unban', 'fly'] })
    expect(data.success).toBe(true)
    expect(await restricted('allowed')).toHaveLength(names.length - 2)
    expect(await restricted('allowed')).not.toContain('u.ban')
    expect((await auditOf(app.db, app.appId)).at(-1)).toMatchObject({ operation: 'allowFeatures' })
    expect((await app.events()).at(-1)).toMatchObject({
      name: 'role.featuresAllowed',
      payload: { role: 'allowed', features: expect.arrayContaining(['ban', 'unban']) },
    })
    await allow('allowed', { allowAll: true })
    expect(await restricted('allowed')).toEqual([])
  })

  test('refuses an unknown role, and a call that names nothing', async () => {
    await app.given.role('kept')
    await restrict('kept', 'ban')
    await expect(allow('unknown', { allowAll: true })).rejects.toMatchObject({
      code: 'ERR_ROLE_NOT_FOUND',
    })
    for (const body of [{}, { allowAll: false }, { featuresToAllow: [] }]) {
      await expect(allow('kept', body)).rejects.toMatchObject({
        code: 'ERR_BAD_REQUEST',
        details: { featuresToAllow: [expect.any(String)] },
      })
    }
    expect(await restricted('kept')).toEqual(['u.ban'])
  })
})

test('every operation that names a feature names one that can be restricted', () => {
  const named = [...allOperations.values()].flatMap(({ feature }) => feature ?? [])
  expect(named.filter((feature) => !features.has(feature))).toEqual([])
})
