import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorOf, send } from '../../../testing/src/network/wire.ts'
import { type AppKeys, startTestApp } from '../../../testing/src/service/test-app.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())

/** A standard call, unless it is told otherwise. */
const call = (keys: AppKeys, method = 'GET', path = '/v3/users') =>
  send(app.origin, { method, path, headers: { appId: keys.appId, apikey: keys.full } })
/** Refused for its missing body, and counted all the same. */
const coreCall = (keys: AppKeys) => call(keys, 'POST', '/v3/users')

const budgetOf = ({ headers }: Awaited<ReturnType<typeof call>>) => ({
  limit: Number(headers['x-rate-limit']),
  remaining: Number(headers['x-rate-limit-remaining']),
})

async function limited(limits: { core?: number; standard?: number }): Promise<AppKeys> {
  const keys = await app.anotherApp()
  const settings = Object.entries(limits).map(([kind, limit]) => [`rateLimits.${kind}`, limit])
  const { data } = await app.as('full').mapAppSettings({
    params: { appId: keys.appId },
    body: { settings: Object.fromEntries(settings) },
  })
  expect(Object.values(data).every(({ success }) => success)).toBe(true)
  return keys
}

test('every app has a budget from its first moment, and every answer tells what is left', async () => {
  const keys = await app.anotherApp()
  expect(budgetOf(await call(keys))).toEqual({ limit: 20_000, remaining: 19_999 })
  expect(budgetOf(await call(keys))).toEqual({ limit: 20_000, remaining: 19_998 })
  const created = await app.client(keys, 'full').createUser({ body: { uid: 'ada', name: 'Ada' } })
  expect(created.data.uid).toBe('ada')
  expect(budgetOf(await call(keys, 'DELETE', '/v3/users/ada'))).toEqual({
    limit: 10_000,
    remaining: 9998,
  })
})

describe('an app with limits of its own', () => {
  let keys: AppKeys
  beforeAll(async () => {
    keys = await limited({ core: 2, standard: 3 })
  })

  test('is refused when its budget of standard calls is used up, and told for how long', async () => {
    for (const remaining of [2, 1, 0]) {
      const answer = await call(keys)
      expect(answer.status).toBe(200)
      expect(budgetOf(answer)).toEqual({ limit: 3, remaining })
    }
    const before = Math.floor(Date.now() / 1000)
    const refused = await call(keys)
    const after = Math.ceil(Date.now() / 1000)
    expect(refused.status).toBe(429)
    const error = errorOf(refused)
    expect(error.code).toBe('ERR_TOO_MANY_REQUESTS')
    expect(error.message).toContain('3 a minute')
    expect(budgetOf(refused)).toEqual({ limit: 3, remaining: 0 })
    const wait = Number(refused.headers['retry-after'])
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(60)
    const reset = Number(refused.headers['x-rate-limit-reset'])
    expect(reset).toBeGreaterThanOrEqual(before + wait)
    expect(reset).toBeLessThanOrEqual(after + wait + 1)
    expect(error.devMessage).toContain(`${wait} s`)
  })

  test('keeps its core calls when the standard ones are used up', async () => {
    const { data } = await app.client(keys, 'full').createUser({ body: { uid: 'x', name: 'X' } })
    expect(data.uid).toBe('x')
    expect((await call(keys)).status).toBe(429)
  })

  test('has fewer core calls when they are refused for another reason', async () => {
    expect(errorOf(await coreCall(keys)).code).toBe('ERR_BAD_REQUEST')
    expect(errorOf(await coreCall(keys)).code).toBe('ERR_TOO_MANY_REQUESTS')
  })

  test('does not use up the budget of another', async () => {
    expect((await call(keys)).status).toBe(429)
    expect((await call(app.keys)).status).toBe(200)
    expect(errorOf(await coreCall(app.keys)).code).toBe('ERR_BAD_REQUEST')
  })
})

test('a stranger with a wrong key takes nothing from the budget', async () => {
  const keys = await limited({ standard: 1 })
  for (let n = 0; n < 3; n++) {
    expect(errorOf(await call({ ...keys, full: 'wrong' })).code).toBe('AUTH_ERR_APIKEY_NOT_FOUND')
  }
  expect((await call(keys)).status).toBe(200)
  expect((await call(keys)).status).toBe(429)
})

test('a new limit holds at once, and the default again when the setting is taken away', async () => {
  const keys = await limited({ standard: 1 })
  expect((await call(keys)).status).toBe(200)
  expect((await call(keys)).status).toBe(429)
  const { appId } = keys
  const { mapAppSettings, unmapAppSettings } = app.as('full')
  await mapAppSettings({ params: { appId }, body: { settings: { 'rateLimits.standard': 50 } } })
  expect(budgetOf(await call(keys)).limit).toBe(50)
  await unmapAppSettings({ params: { appId }, body: { settings: ['rateLimits.standard'] } })
  expect(budgetOf(await call(keys)).limit).toBe(20_000)
})

test('the budget holds for calls at the same time', async () => {
  const keys = await limited({ standard: 10 })
  const answers = await Promise.all(Array.from({ length: 40 }, () => call(keys)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(30)
})
