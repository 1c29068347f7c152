import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { auditOf } from '../../../../../testing/src/data/audit.ts'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const calls = app.as('full')

const account = {
  project_id: 'tea-house',
  client_email: 'push@tea-house.example',
  private_key: '-----BEGIN PRIVATE KEY-----\nMIIEvgIBADANBgkq\n-----END PRIVATE KEY-----\n',
  private_key_id: '42',
}
const apnsKey = '-----BEGIN PRIVATE KEY-----\nMIGTAgEAMBMGByqG\n-----END PRIVATE KEY-----'
const apns = { keyId: 'KEY', teamId: 'TEAM', bundleId: 'example.tea', p8Key: apnsKey }

const fcmProviders = async () => (await calls.listFcmProviders()).data.pushProviders
const apnsProviders = async () => (await calls.listApnsProviders()).data.pushProviders
const addFcm = (providerId: string) =>
  calls.createFcmProvider({ body: { providerId, serviceAccountCreds: account } })
const addApns = (providerId: string) => calls.createApnsProvider({ body: { providerId, ...apns } })
const notFound = { code: 'ERR_PROVIDER_NOT_FOUND' }
const nobody = { params: { providerId: 'nobody' } }

const kinds = [
  {
    kind: 'FCM',
    list: fcmProviders,
    add: addFcm,
    remove: calls.deleteFcmProvider,
    setDefault: calls.setDefaultFcmProvider,
    update: calls.updateFcmProvider,
  },
  {
    kind: 'APNs',
    list: apnsProviders,
    add: addApns,
    remove: calls.deleteApnsProvider,
    setDefault: calls.setDefaultApnsProvider,
    update: calls.updateApnsProvider,
  },
]

describe.each(kinds)('providers of $kind', ({ list, add, remove, setDefault, update }) => {
  const defaults = async () => {
    const all: { providerId: string; isDefault: boolean }[] = await list()
    return all.filter(({ isDefault }) => isDefault).map(({ providerId }) => providerId)
  }

  test('one is the default: the first, the chosen one, the oldest that is left', async () => {
    for (const providerId of ['d1', 'd2', 'd3']) await add(providerId)
    expect(await defaults()).toEqual(['d1'])
    await setDefault({ params: { providerId: 'd3' } })
    expect(await defaults()).toEqual(['d3'])
    await remove({ params: { providerId: 'd1' } })
    expect(await defaults()).toEqual(['d3'])
    await remove({ params: { providerId: 'd3' } })
    expect(await defaults()).toEqual(['d2'])
    await remove({ params: { providerId: 'd2' } })
    expect(await list()).toEqual([])
  })

  test('an id is given once, and must be there for any other call', async () => {
    await add('once')
    await expect(add('once')).rejects.toMatchObject({ code: 'ERR_PROVIDER_ALREADY_EXISTS' })
    await remove({ params: { providerId: 'once' } })
    await expect(remove(nobody)).rejects.toMatchObject(notFound)
    await expect(setDefault(nobody)).rejects.toMatchObject(notFound)
    await expect(update({ body: { providerId: 'nobody' } })).rejects.toMatchObject(notFound)
  })

  test('there are 25 at most', async () => {
    const ids = Array.from({ length: 25 }, (_, place) => `p${place}`)
    for (const providerId of ids) await add(providerId)
    await expect(add('more')).rejects.toMatchObject({ code: 'ERR_PLAN_QUOTA_RESTRICTION' })
    for (const providerId of ids) await remove({ params: { providerId } })
  })
})

test('an account at FCM is shown with its key masked, and changed field by field', async () => {
  const more = {
    serviceAccountFilename: 'tea.json',
    notificationInPayload: { ios: { chat: true, call: false }, web: { chat: false } },
  }
  const body = { providerId: 'tea', serviceAccountCreds: account, ...more }
  await calls.createFcmProvider({ body })
  const masked = { ...account, private_key: '********Bgkq' }
  const shown = { ...body, serviceAccountCreds: masked, isDefault: true }
  expect(await fcmProviders()).toMatchObject([shown])

  // The form of a console sends back what it was shown.
  const serviceAccountCreds = { ...masked, client_email: 'other@tea-house.example' }
  await calls.updateFcmProvider({ body: { providerId: 'tea', serviceAccountCreds } })
  expect(await fcmProviders()).toMatchObject([{ ...shown, serviceAccountCreds }])
  const renewed = { ...account, private_key: account.private_key.replace('Bgkq', 'Wxyz') }
  await calls.updateFcmProvider({ body: { providerId: 'tea', serviceAccountCreds: renewed } })
  const [changed] = await fcmProviders()
  expect(changed?.serviceAccountCreds?.private_key).toBe('********Wxyz')
  expect(changed).toMatchObject(more)
})

test('an account at APNs is answered with all the others, its key masked', async () => {
  const switches = { includeContentAvailable: true, includeMutableContent: false }
  const body = { providerId: 'tea', ...apns, p8KeyFilename: 'AuthKey.p8', productionMode: true }
  const { data } = await calls.createApnsProvider({ body: { ...body, ...switches } })
  const shown = { ...body, ...switches, p8Key: '********ByqG', isDefault: true }
  expect(data.pushProviders).toMatchObject([shown])
  await calls.updateApnsProvider({ body: { providerId: 'tea', productionMode: false } })
  expect(await apnsProviders()).toMatchObject([{ ...shown, productionMode: false }])
})

test('keys are nowhere in the clear: not in the table, not in the audit log', async () => {
  await addFcm('sealed')
  await addApns('sealed')
  const { rows } = await sql<{ row: string }>`
    select p::text as row from notification_providers p`.execute(app.db)
  const kept = JSON.stringify([rows, await auditOf(app.db, app.appId)])
  expect(kept).toContain('tea-house')
  expect(kept).not.toContain('MIIEvgIBADANBgkq')
  expect(kept).not.toContain('MIGTAgEAMBMGByqG')
})
