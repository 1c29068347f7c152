import { afterAll, expect, test } from 'vitest'
import { errorOf, send } from '../../../../testing/src/network/wire.ts'
import { type AppKeys, startTestApp } from '../../../../testing/src/service/test-app.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())

async function tokenIn(keys: AppKeys): Promise<string> {
  const { createUser, createAuthToken } = app.client(keys, 'full')
  await createUser({ body: { uid: 'ann', name: 'Ann' } })
  const { data } = await createAuthToken({ params: { uid: 'ann' }, body: { force: true } })
  return data.authToken
}
const me = (headers: Record<string, string>) => send(app.origin, { path: '/v3/me', headers })

test('a device is not served any more when its app is archived', async () => {
  const keys = await app.anotherApp()
  const { appId } = keys
  const authToken = await tokenIn(keys)
  expect((await me({ appId, authToken })).status).toBe(200)
  await app.as('full').deleteApp({ params: { appId } })
  const refused = await me({ appId, authToken })
  expect([refused.status, errorOf(refused).code]).toEqual([401, 'AUTH_ERR_INVALID_APPID'])
})

test('a device is served under the host name of the region of its app only', async () => {
  const keys = await app.anotherApp()
  const authToken = await tokenIn(keys)
  const at = (region: string) => me({ host: `${keys.appId}.api-${region}.example.com`, authToken })
  expect((await at('us')).status).toBe(200)
  const refused = await at('eu')
  expect([refused.status, errorOf(refused).code]).toEqual([401, 'AUTH_ERR_INVALID_APPID'])
})
