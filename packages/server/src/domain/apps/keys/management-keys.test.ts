import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'
import { openVault } from '../../../vault/vault.ts'
import { listManagementKeys, revokeManagementKey } from './management-keys.sql.ts'
import { createManagementKey, type WantedManagementKey } from './management-keys.ts'

const start = 1_700_000_000
let now = start
const app = await startTestApp({ clock: () => now, shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
const vault = openVault(Buffer.from(app.masterKey, 'base64'))
const other = await app.anotherApp()

async function keyFor(wanted: Partial<WantedManagementKey> = {}) {
  const pair = await createManagementKey({ db: app.db }, vault, { name: 'x', ...wanted }, now)
  return { ...pair, calls: app.client(app.keys, 'full', pair) }
}

const settingsOf = (appId: string) => ({ params: { appId } })
const noAccess = { code: 'AUTH_ERR_NO_ACCESS', status: 403 }
const notFound = { code: 'AUTH_ERR_MANAGEMENT_KEY_NOT_FOUND', status: 401 }

test('H7: a management key of one app reaches no other, and nothing that reaches all', async () => {
  const { calls } = await keyFor({ appIds: [app.appId] })
  expect((await calls.listAppSettings(settingsOf(app.appId))).data).toBeDefined()
  await expect(calls.listAppSettings(settingsOf(other.appId))).rejects.toMatchObject(noAccess)
  await expect(calls.deleteApp(settingsOf(other.appId))).rejects.toMatchObject(noAccess)
  // Whether there is such an app is nothing that it should learn.
  await expect(calls.listAppSettings(settingsOf('nobody'))).rejects.toMatchObject(noAccess)
  await expect(calls.createApp({ body: { name: 'More' } })).rejects.toMatchObject(noAccess)
  const { data, meta } = await calls.listApps()
  expect(data.map(({ id }) => id)).toEqual([app.appId])
  expect(meta.pagination.total).toBe(1)
})

test('H7: a management key of all apps reaches those that come later', async () => {
  const { calls } = await keyFor()
  const { appId } = await app.anotherApp()
  await calls.listAppSettings(settingsOf(appId))
  expect((await calls.listApps()).data.map(({ id }) => id)).toContain(appId)
})

test('H7: an expired management key is refused from the second it expires', async () => {
  const { calls } = await keyFor({ expiresAt: start + 100 })
  now = start + 99
  await calls.listApps()
  now = start + 100
  await expect(calls.listApps()).rejects.toMatchObject(notFound)
  now = start
})

test('H7: a revoked management key is refused at once, and cannot be revoked twice', async () => {
  const { key, calls } = await keyFor()
  await calls.listApps()
  expect(await revokeManagementKey({ db: app.db }, key, now)).toBe(true)
  await expect(calls.listApps()).rejects.toMatchObject(notFound)
  expect(await revokeManagementKey({ db: app.db }, key, now)).toBe(false)
  expect(await revokeManagementKey({ db: app.db }, 'nothing', now)).toBe(false)
})

test('H7: when a management key was last used is noted, at most once a minute', async () => {
  const { key, calls } = await keyFor()
  const used = async () =>
    (await listManagementKeys(app)).find((row) => row.key === key)?.lastUsedAt
  const version = async () => {
    const { rows } = await sql<{ xmin: string }>`
      select xmin::text from management_keys where key = ${key}`.execute(app.db)
    return rows[0]?.xmin
  }
  expect(await used()).toBeNull()
  await calls.listApps()
  expect(await used()).toBe(start)
  const written = await version()
  now = start + 60
  await calls.listApps()
  expect([await used(), await version()]).toEqual([start, written])
  now = start + 61
  await calls.listApps()
  expect(await used()).toBe(start + 61)
  now = start
})

test('H7: a wrong secret is no use of the key', async () => {
  const { key } = await keyFor()
  const wrong = app.client(app.keys, 'full', { key, secret: 'f'.repeat(48) })
  await expect(wrong.listApps()).rejects.toMatchObject(notFound)
  const row = (await listManagementKeys(app)).find((one) => one.key === key)
  expect(row?.lastUsedAt).toBeNull()
})
