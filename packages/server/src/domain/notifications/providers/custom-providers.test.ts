import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { auditOf } from '../../../../../testing/src/data/audit.ts'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const calls = app.as('full')

const basic = {
  isEnabled: true,
  webhookURL: 'https://push.example.com/tea',
  useBasicAuth: true,
  basicAuthUsername: 'ann',
  basicAuthPassword: 'correct horse battery',
}
const shown = { ...basic, basicAuthPassword: '********' }
const notFound = { code: 'ERR_PROVIDER_NOT_FOUND' }

const pushProviders = async () => (await calls.listCustomPushProviders()).data.pushProviders

test('pushes go to an address of the app', async () => {
  expect(await pushProviders()).toEqual([])
  const created = await calls.createCustomPushProvider({ body: basic })
  expect(created.data.pushProviders).toEqual([shown])
  const changed = await calls.updateCustomPushProvider({ body: { isEnabled: false } })
  expect(changed.data.pushProviders).toEqual([{ ...shown, isEnabled: false }])
  expect(await pushProviders()).toEqual([{ ...shown, isEnabled: false }])
  await calls.deleteCustomPushProvider()
  expect(await pushProviders()).toEqual([])
  await expect(calls.deleteCustomPushProvider()).rejects.toMatchObject(notFound)
  await expect(calls.updateCustomPushProvider({ body: basic })).rejects.toMatchObject(notFound)
})

test('so does SMS, which can do without authentication', async () => {
  await expect(calls.getCustomSmsProvider()).rejects.toMatchObject(notFound)
  const { webhookURL } = basic
  const { data } = await calls.createCustomSmsProvider({
    body: { webhookURL, useStoredPhNo: true },
  })
  expect(data).toEqual({
    isEnabled: true,
    webhookURL,
    useBasicAuth: false,
    basicAuthUsername: '',
    basicAuthPassword: '',
    useStoredPhNo: true,
  })
  await calls.updateCustomSmsProvider({ body: { ...basic, useStoredPhNo: false } })
  // What was shown comes back: the password stays.
  await calls.updateCustomSmsProvider({ body: shown })
  expect((await calls.getCustomSmsProvider()).data).toEqual({ ...shown, useStoredPhNo: false })
  await calls.deleteCustomSmsProvider()
  await expect(calls.deleteCustomSmsProvider()).rejects.toMatchObject(notFound)
  await expect(calls.updateCustomSmsProvider({ body: {} })).rejects.toMatchObject(notFound)
})

test('and e-mail, beside them', async () => {
  await expect(calls.getCustomEmailProvider()).rejects.toMatchObject(notFound)
  await calls.createCustomEmailProvider({ body: { ...basic, useStoredEmailID: true } })
  const replaced = { webhookURL: 'https://mail.example.com' }
  await calls.createCustomEmailProvider({ body: replaced })
  const { data } = await calls.getCustomEmailProvider()
  expect(data).toMatchObject({ ...replaced, useStoredEmailID: false, basicAuthUsername: '' })
  const update = { useStoredEmailID: true }
  const changed = await calls.updateCustomEmailProvider({ body: update })
  expect(changed.data).toEqual({ ...data, ...update })
  expect(await pushProviders()).toEqual([])
  await calls.deleteCustomEmailProvider()
  await expect(calls.deleteCustomEmailProvider()).rejects.toMatchObject(notFound)
  await expect(calls.updateCustomEmailProvider({ body: {} })).rejects.toMatchObject(notFound)
})

describe('an address that is not public', () => {
  const refusal = { code: 'ERR_BAD_REQUEST', details: { webhookURL: [expect.any(String)] } }
  test.each([
    'http://push.example.com',
    'https://127.0.0.1/hook',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://169.254.169.254/latest/meta-data',
    'https://ann:secret@push.example.com',
    'tea',
  ])('is refused: %s', async (webhookURL) => {
    const body = { ...basic, webhookURL, useStoredPhNo: false }
    await expect(calls.createCustomPushProvider({ body })).rejects.toMatchObject(refusal)
    await expect(calls.createCustomSmsProvider({ body })).rejects.toMatchObject(refusal)
    await expect(calls.createCustomEmailProvider({ body })).rejects.toMatchObject(refusal)
  })

  test('is refused when it comes later, too', async () => {
    await calls.createCustomPushProvider({ body: basic })
    const change = calls.updateCustomPushProvider({ body: { webhookURL: 'https://10.0.0.1' } })
    await expect(change).rejects.toMatchObject(refusal)
    expect(await pushProviders()).toEqual([shown])
    await calls.deleteCustomPushProvider()
  })
})

test('the password is nowhere in the clear', async () => {
  await calls.createCustomPushProvider({ body: basic })
  const { rows } = await sql<{ row: string }>`
    select p::text as row from notification_providers p`.execute(app.db)
  const kept = JSON.stringify([rows, await auditOf(app.db, app.appId)])
  expect(kept).toContain('push.example.com/tea')
  expect(kept).not.toContain(basic.basicAuthPassword)
})

describe('M6: a changed address never gets the old password:', () => {
  const again = {
    code: 'ERR_BAD_REQUEST',
    details: { basicAuthPassword: ['Send this secret again when the address changes.'] },
  }
  const webhookURL = 'https://evil.example.com/tea'
  const provider = { ...basic, useStoredPhNo: true }

  test.each([
    ['push', calls.createCustomPushProvider, calls.updateCustomPushProvider],
    ['SMS', calls.createCustomSmsProvider, calls.updateCustomSmsProvider],
    ['e-mail', calls.createCustomEmailProvider, calls.updateCustomEmailProvider],
  ] as const)('M6: of a custom provider for %s', async (_, create, update) => {
    await create({ body: provider })
    await expect(update({ body: { webhookURL } })).rejects.toMatchObject(again)
    // What was shown is no password.
    await expect(update({ body: { ...shown, webhookURL } })).rejects.toMatchObject(again)
    for (const other of ['http://push.example.com/tea', 'https://push.example.com:8443/tea']) {
      await expect(update({ body: { webhookURL: other } })).rejects.toMatchObject({
        code: 'ERR_BAD_REQUEST',
      })
    }
    await update({ body: { webhookURL: 'https://push.example.com/other' } })
    await update({ body: { webhookURL, basicAuthPassword: 'a new one' } })
  })

  test('M6: one without a password may move', async () => {
    const { webhookURL: before } = basic
    await calls.createCustomSmsProvider({ body: { webhookURL: before, useStoredPhNo: true } })
    const { data } = await calls.updateCustomSmsProvider({ body: { webhookURL } })
    expect(data.webhookURL).toBe(webhookURL)
  })
})

test('M8: of a password nothing is kept or shown, however long it is', async () => {
  const basicAuthPassword = 'hunter2hunter2hunter2hunter2hunter'
  const { data } = await calls.createCustomPushProvider({ body: { ...basic, basicAuthPassword } })
  expect(data.pushProviders).toEqual([shown])
  const last = (await auditOf(app.db, app.appId)).at(-1)
  expect(last?.target).toMatchObject({ body: { basicAuthPassword: '********' } })
})
