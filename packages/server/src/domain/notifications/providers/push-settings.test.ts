import {
  notificationInPayloadDefaults,
  type PushSettings,
  payloadOptionDefaults,
} from '@chorale/contract/notifications'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { auditOf } from '../../../../../testing/src/data/audit.ts'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const calls = app.as('full')
const params = { appId: app.appId }
const put = async (settings: PushSettings) =>
  (await calls.updatePushSettings({ params, body: { settings } })).settings
const get = async () => (await calls.getPushSettings({ params })).settings
const remove = () => calls.deletePushSettings({ params })

const privateKey = '-----BEGIN PRIVATE KEY-----\nMIIEvgIBADANBgkq\n-----END PRIVATE KEY-----\n'
const fcmCredentials = {
  project_id: 'tea-house',
  client_email: 'push@tea-house.example',
  private_key: privateKey,
  private_key_id: '42',
}

/** The table of the interface: every kind of event that has a flag, and whether it is sent. */
const flags = {
  sendNewMessageNotification: true,
  sendEditMessageNotification: false,
  sendDeleteMessageNotification: false,
  sendThreadedMessageNotification: true,
  sendIncomingCallNotification: true,
  sendMissedCallNotification: true,
  sendMemberJoinedNotification: true,
  sendMemberLeftNotification: true,
  sendMemberKickedNotification: true,
  sendMemberBannedNotification: true,
  sendMemberUnbannedNotification: true,
  sendMemberAddedNotification: true,
  sendMemberScopeChangedNotification: false,
}
const opposite = Object.fromEntries(Object.entries(flags).map(([name, sent]) => [name, !sent]))

const everything = {
  version: 2,
  pushProvider: 0,
  fcmCredentials,
  notificationInPayload: {
    web: false,
    android: false,
    ionic_cordova: false,
    react_native: true,
    ios: false,
    flutter: false,
  },
  useP8: false,
  sendApnsProduction: false,
  keyId: 'KEY1234567',
  teamId: 'TEAM123456',
  bundleId: 'example.tea.config',
  appId: 'tea',
  serviceMessagePayloadOptions: {
    skipSenderMetadata: true,
    skipReceiverMetadata: true,
    skipMessageMetadata: true,
    trimMessageText: false,
  },
  ...opposite,
}

describe('what is saved', () => {
  test('is answered without a wrapper, every field of it, and read again', async () => {
    expect(await put(everything)).toEqual(everything)
    expect(await get()).toEqual(everything)
    await remove()
  })

  test('has defaults for the rest, flag by flag', async () => {
    expect(await put({ version: 2, pushProvider: 1 })).toEqual({
      version: 2,
      pushProvider: 1,
      appId: app.appId,
      useP8: true,
      sendApnsProduction: true,
      notificationInPayload: notificationInPayloadDefaults,
      serviceMessagePayloadOptions: payloadOptionDefaults,
      ...flags,
    })
    expect(notificationInPayloadDefaults).toMatchObject({ web: true, react_native: false })
    expect(payloadOptionDefaults).toMatchObject({
      skipSenderMetadata: false,
      trimMessageText: true,
    })
    await remove()
  })

  test('is merged field by field, and an object takes the place of the one before', async () => {
    await put(everything)
    const changed = await put({ keyId: 'OTHER', notificationInPayload: { web: false } })
    expect(changed).toEqual({
      ...everything,
      keyId: 'OTHER',
      notificationInPayload: { ...notificationInPayloadDefaults, web: false },
    })
    expect(await put({})).toEqual(changed)
    await remove()
  })

  test('keeps the name under which the payload options were sent', async () => {
    const options = { trimMessageText: false }
    await put({ version: 2, pushProvider: 1, cometchatMessagePayloadOptions: options })
    const theirs = await put({ keyId: 'K' })
    expect(theirs.cometchatMessagePayloadOptions).toEqual({ ...payloadOptionDefaults, ...options })
    expect(theirs).not.toHaveProperty('serviceMessagePayloadOptions')
    const ours = await put({ serviceMessagePayloadOptions: options })
    expect(ours.serviceMessagePayloadOptions).toEqual({ ...payloadOptionDefaults, ...options })
    expect(ours).not.toHaveProperty('cometchatMessagePayloadOptions')
    await remove()
  })

  test('may be posted as well, and is gone after it was deleted', async () => {
    const settings = { version: 1, pushProvider: 2 }
    const posted = await calls.createPushSettings({ params, body: { settings } })
    expect(posted.settings).toMatchObject(settings)
    expect((await remove()).data).toMatchObject({
      statusCode: 200,
      success: true,
      body: { data: { success: true } },
    })
    await expect(get()).rejects.toMatchObject({ code: 'ERR_PUSH_SETTINGS_NOT_FOUND' })
  })
})

describe('refused', () => {
  test('is a first save without version or pushProvider, and nothing is kept of it', async () => {
    const needed = ['The first save needs this field.']
    await expect(put({ keyId: 'K' })).rejects.toMatchObject({
      code: 'ERR_BAD_REQUEST',
      details: { 'settings.version': needed, 'settings.pushProvider': needed },
    })
    await expect(put({ version: 2 })).rejects.toMatchObject({
      details: { 'settings.pushProvider': needed },
    })
    await expect(get()).rejects.toMatchObject({ code: 'ERR_PUSH_SETTINGS_NOT_FOUND' })
  })

  test.each([[{ version: 3 }], [{ pushProvider: -1 }], [{ version: 1.5 }]])(
    '%j is no value of the interface',
    async (wrong) => {
      await expect(put({ version: 2, pushProvider: 1, ...wrong })).rejects.toMatchObject({
        code: 'ERR_BAD_REQUEST',
      })
    },
  )

  test('is whoever does not show the management key and its secret', async () => {
    const path = `/apps/${app.appId}/extensions/push-notification/v1/settings`
    const status = async (headers: Record<string, string>) =>
      (await fetch(app.managementOrigin + path, { headers })).status
    const { key, secret } = app.management
    expect(await status({})).toBe(401)
    expect(await status({ key })).toBe(401)
    expect(await status({ key, secret: 'wrong' })).toBe(401)
    expect(await status({ key, secret })).toBe(404)
    expect(await status({ apikey: app.keys.full, appId: app.appId })).toBe(401)
  })

  test('is an app that does not exist', async () => {
    const refusal = { code: 'ERR_APP_NOT_FOUND' }
    const nobody = { params: { appId: 'nobody' } }
    const body = { settings: { version: 2, pushProvider: 1 } }
    await expect(calls.createPushSettings({ ...nobody, body })).rejects.toMatchObject(refusal)
    await expect(calls.updatePushSettings({ ...nobody, body })).rejects.toMatchObject(refusal)
    await expect(calls.getPushSettings(nobody)).rejects.toMatchObject(refusal)
    await expect(calls.deletePushSettings(nobody)).rejects.toMatchObject(refusal)
  })
})

test('the private key is nowhere in the clear: not in the table, not in the audit log', async () => {
  await put({ version: 2, pushProvider: 1, fcmCredentials })
  const { rows } = await sql<{ row: string }>`
    select p::text as row from push_settings p where app_id = ${app.appId}`.execute(app.db)
  const kept = JSON.stringify([rows, await auditOf(app.db, app.appId)])
  expect(kept).toContain('tea-house')
  expect(kept).not.toContain('MIIEvgIBADANBgkq')
  await remove()
})

test('an operator can have it masked; what comes back masked is the key that was there', async () => {
  await using masking = await startTestApp({
    live: { settings: { PUSH_SETTINGS_SECRETS: 'masked' } },
  })
  const { updatePushSettings, getPushSettings } = masking.as('full')
  const own = { params: { appId: masking.appId } }
  const masked = { ...fcmCredentials, private_key: '********Bgkq' }
  const shown = async () => (await getPushSettings(own)).settings.fcmCredentials
  const settings = { version: 2, pushProvider: 1, fcmCredentials }
  const answer = await updatePushSettings({ ...own, body: { settings } })
  expect(answer.settings.fcmCredentials).toEqual(masked)
  expect(await shown()).toEqual(masked)
  const renamed = { ...masked, client_email: 'other@tea-house.example' }
  await updatePushSettings({ ...own, body: { settings: { fcmCredentials: renamed } } })
  expect(await shown()).toEqual(renamed)
  const other = { ...renamed, private_key: privateKey.replace('Bgkq', 'Wxyz') }
  await updatePushSettings({ ...own, body: { settings: { fcmCredentials: other } } })
  expect(await shown()).toMatchObject({ private_key: '********Wxyz' })
})
