import { afterAll, describe, expect, test } from 'vitest'
import { auditOf } from '../../../../testing/src/data/audit.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const { mapAppSettings, listAppSettings, unmapAppSettings } = app.as('full')

const params = { appId: app.appId }
const map = (settings: Record<string, boolean | number | string[]>) =>
  mapAppSettings({ params, body: { settings } })
const settingsNow = async () => (await listAppSettings({ params })).data
const included = 'core.notifications.push.advanced.included'

describe('settings of an app', () => {
  test('every setting is listed, with its default until it is set', async () => {
    const before = await settingsNow()
    expect(before).toMatchObject({
      'core.conversations.updateOnReplies': true,
      'apiKeys.authOnlyCreatesUsers': true,
      [included]: [],
      'rateLimits.core': 10_000,
      'rateLimits.standard': 20_000,
    })
    const { data } = await map({
      'core.conversations.updateOnReplies': false,
      [included]: ['a', 'b'],
      'rateLimits.standard': 30_000,
      'core.conversations.updateOnGroupActions': 1,
      'rateLimits.core': true,
      'core.fly': true,
    })
    const done = { success: true, message: expect.any(String) }
    const refused = { success: false, message: expect.any(String) }
    expect(data).toEqual({
      'core.conversations.updateOnReplies': done,
      [included]: done,
      'rateLimits.standard': done,
      'core.conversations.updateOnGroupActions': refused,
      'rateLimits.core': refused,
      'core.fly': refused,
    })
    const changed = {
      'core.conversations.updateOnReplies': false,
      [included]: ['a', 'b'],
      'rateLimits.standard': 30_000,
    }
    expect(await settingsNow()).toEqual({ ...before, ...changed })
    expect((await app.events()).at(-1)).toEqual({
      name: 'app.settingsChanged',
      payload: { keys: Object.keys(changed) },
    })
    expect((await auditOf(app.db, app.appId)).at(-1)).toMatchObject({
      caller: 'management:tests',
      operation: 'mapAppSettings',
      target: { params, body: { settings: { 'rateLimits.standard': 30_000 } } },
    })

    const unmap = (...settings: string[]) => unmapAppSettings({ params, body: { settings } })
    await expect(unmap(included, 'core.fly')).rejects.toMatchObject({
      code: 'ERR_BAD_REQUEST',
      details: { settings: [expect.stringContaining('core.fly')] },
    })
    await expect(unmap()).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' })
    expect(await settingsNow()).toEqual({ ...before, ...changed })
    expect((await unmap(included)).data.success).toBe(true)
    expect(await settingsNow()).toEqual({ ...before, ...changed, [included]: [] })
    await unmap(...Object.keys(changed))
    expect(await settingsNow()).toEqual(before)
    expect((await auditOf(app.db, app.appId)).at(-1)).toMatchObject({
      operation: 'unmapAppSettings',
      target: { params, body: { settings: Object.keys(changed) } },
    })
  })

  test('an unknown app has none, and an archived one neither', async () => {
    const archived = await app.anotherApp()
    await app.client(archived, 'full').deleteApp({ params: { appId: archived.appId } })
    for (const appId of ['nosuchapp', archived.appId]) {
      const where = { params: { appId } }
      const refusal = { code: 'ERR_APP_NOT_FOUND', status: 404 }
      await expect(listAppSettings(where)).rejects.toMatchObject(refusal)
      await expect(mapAppSettings({ ...where, body: { settings: {} } })).rejects.toMatchObject(
        refusal,
      )
      const one = { settings: [included] }
      await expect(unmapAppSettings({ ...where, body: one })).rejects.toMatchObject(refusal)
    }
  })

  test('an API key cannot read or change them', async () => {
    const stranger = app.client(app.keys, 'full', { key: '', secret: '' })
    await expect(stranger.listAppSettings({ params })).rejects.toMatchObject({
      code: 'AUTH_ERR_EMPTY_AUTH_HEADER',
      status: 401,
    })
  })
})

describe('rate limits', () => {
  test('an app that has used up its minute is refused, and told when to come back', async () => {
    const keys = await app.anotherApp()
    const client = app.client(keys, 'full')
    await client.mapAppSettings({
      params: { appId: keys.appId },
      body: { settings: { 'rateLimits.core': 2, 'rateLimits.standard': 3 } },
    })
    const headers = { appId: keys.appId, apikey: keys.full }
    const list = () => fetch(`${app.origin}/v3/roles`, { headers })
    const first = await list()
    expect(first.status).toBe(200)
    expect(first.headers.get('x-rate-limit')).toBe('3')
    expect(first.headers.get('x-rate-limit-remaining')).toBe('2')
    await client.listRoles()
    await client.listRoles()
    await expect(client.listRoles()).rejects.toMatchObject({
      code: 'ERR_TOO_MANY_REQUESTS',
      status: 429,
    })
    const refusal = await list()
    expect(refusal.status).toBe(429)
    const wait = Number(refusal.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(60)
    expect(refusal.headers.get('x-rate-limit-remaining')).toBe('0')
    expect(refusal.headers.get('x-rate-limit-reset')).toMatch(/^\d{10}$/)
  })

  test('core calls have their own budget, and another app has its own', async () => {
    const keys = await app.anotherApp()
    const client = app.client(keys, 'full')
    await client.mapAppSettings({
      params: { appId: keys.appId },
      body: { settings: { 'rateLimits.core': 2 } },
    })
    const create = (uid: string) => client.createUser({ body: { uid, name: uid } })
    await create('one')
    await create('two')
    await expect(create('three')).rejects.toMatchObject({ code: 'ERR_TOO_MANY_REQUESTS' })
    expect((await client.listUsers()).data).toHaveLength(2)
    await app.given.users('elsewhere')
  })
})
