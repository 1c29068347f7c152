import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'vitest'
import { p12 } from '../network/p12.ts'
import type { PushFixture } from '../notifications/push-fixture.ts'
import { patiently, say, type Tour } from './tour.ts'

const ofAnna = { query: { uid: 'anna' } } as const
const pem = '-----BEGIN PRIVATE KEY-----\nTheKeyOfYourAccount\n-----END PRIVATE KEY-----\n'

export async function showPreferences({ show }: Tour): Promise<void> {
  await show.getNotificationSettings()
  await show.updateNotificationSettings({
    body: { preferences: { group: { reactionsSetting: 1 } }, sound: { chat: 'chime.wav' } },
  })
  await show.resetNotificationSettings()
  await show.getNotificationPreferences(ofAnna)
  const body = { groupPreferences: { groupMessages: 3 } } as const
  await show.updateNotificationPreferences({ ...ofAnna, body })
  await show.deleteNotificationPreferences(ofAnna)
  const conversations = [{ id: 'hikers', type: 'group' }] as const
  const until = 1_767_355_200_000
  await show.muteConversations({
    ...ofAnna,
    body: { conversations: [{ ...conversations[0], until }] },
  })
  await show.listMutedConversations(ofAnna)
  await show.unmuteConversations({ ...ofAnna, body: { conversations: [...conversations] } })
  await show.setTimezone({ ...ofAnna, body: { timezone: 'Europe/Stockholm' } })
  await show.getTimezone(ofAnna)
  const contact = { email: 'anna@example.com', phno: '+46 8 123 456' }
  await show.updateContactDetails({ onBehalfOf: 'anna', body: contact })
  await show.getContactDetails({ onBehalfOf: 'anna' })
  await show.deleteContactDetails({ onBehalfOf: 'anna' })
}

export async function showPushProviders({ show, replace }: Tour): Promise<void> {
  const account = { project_id: 'book-shop', client_email: 'push@book-shop.example' }
  const fcm = { params: { providerId: 'android' } } as const
  const serviceAccountCreds = { ...account, private_key: pem }
  await show.createFcmProvider({ body: { providerId: 'android', serviceAccountCreds } })
  await show.listFcmProviders()
  const notificationInPayload = { android: { chat: true } }
  await show.updateFcmProvider({ body: { providerId: 'android', notificationInPayload } })
  await show.setDefaultFcmProvider(fcm)
  const kind = { params: { kind: 'fcm', providerId: 'android' } } as const
  await show.testPushProvider({ ...kind, body: { uid: 'anna' } })
  await show.deleteFcmProvider(fcm)
  const apns = { params: { providerId: 'iphone' } } as const
  const key = {
    keyId: 'ABC123DEFG',
    teamId: 'DEF123GHIJ',
    bundleId: 'example.bookshop',
    p8Key: pem,
  }
  await show.createApnsProvider({ body: { providerId: 'iphone', ...key, productionMode: true } })
  await show.listApnsProviders()
  await show.updateApnsProvider({ body: { providerId: 'iphone', productionMode: false } })
  await show.setDefaultApnsProvider(apns)
  await show.deleteApnsProvider(apns)
  const { data } = await show.getWebPushKey()
  replace(data.publicKey, 'the-public-key-of-this-app')
}

export async function showOwnServers({ show }: Tour): Promise<void> {
  const webhookURL = 'https://shop.example.com/notify'
  const basic = { useBasicAuth: true, basicAuthUsername: 'chorale', basicAuthPassword: 'sesame' }
  const at = { isEnabled: true, webhookURL, ...basic }
  const off = { body: { isEnabled: false } }
  await show.createCustomPushProvider({ body: at })
  await show.listCustomPushProviders()
  await show.updateCustomPushProvider(off)
  await show.deleteCustomPushProvider()
  await show.createCustomSmsProvider({ body: { ...at, useStoredPhNo: true } })
  await show.getCustomSmsProvider()
  await show.updateCustomSmsProvider(off)
  await show.deleteCustomSmsProvider()
  await show.createCustomEmailProvider({ body: { ...at, useStoredEmailID: true } })
  await show.getCustomEmailProvider()
  await show.updateCustomEmailProvider(off)
  await show.deleteCustomEmailProvider()
}

export async function showCarriers({ show }: Tour): Promise<void> {
  const off = { body: { isEnabled: false } }
  await show.createTwilio({
    body: {
      twilioAccountSID: 'your-account-sid',
      twilioAuthToken: 'your-auth-token',
      twilioSenderPhoneNumber: '+15550100',
    },
  })
  await show.getTwilio()
  await show.updateTwilio(off)
  await show.deleteTwilio()
  await show.createSendGrid({
    body: {
      sendGridApiKey: 'your-api-key',
      sendGridTemplateID: 'your-template-id',
      sendGridUnsubscribeGroupID: '7',
      senderName: 'Book shop',
      senderEmail: 'chat@shop.example.com',
    },
  })
  await show.getSendGrid()
  await show.updateSendGrid(off)
  await show.deleteSendGrid()
}

export async function showExtensions({ show, appId }: Tour): Promise<void> {
  const params = { appId }
  await show.switchExtensions({ params, body: { enabled: ['push-notification'] } })
  await show.listExtensions({ params, query: { perPage: 25 } })
  const settings = { version: 2, pushProvider: 2, keyId: 'ABC123DEFG', teamId: 'DEF123GHIJ' }
  await show.createPushSettings({ params, body: { settings } })
  const less = { sendMemberLeftNotification: false }
  await show.updatePushSettings({ params, body: { settings: less } })
  await show.getPushSettings({ params })
  await show.deletePushSettings({ params })
  const file = (content: Buffer) => new Blob([Uint8Array.from(content)])
  const certificate = file(Buffer.from(p12, 'base64'))
  await show.uploadCertificateP12({ params, form: { certificate, password: 'sesame' } })
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const p8 = Buffer.from(privateKey.export({ type: 'pkcs8', format: 'pem' }))
  await show.uploadCertificateP8({ params, form: { certificate: file(p8) } })
  await show.queryCertificates({ params })
}

/** A phone of Ben gets a push of a message of Anna. */
export async function showPushes(tour: Tour, { google, account }: PushFixture): Promise<void> {
  const { show, call, replace } = tour
  const serviceAccountCreds = {
    project_id: account.projectId,
    client_email: account.clientEmail,
    private_key: account.privateKey,
    private_key_id: account.privateKeyId,
  }
  await call.createFcmProvider({ body: { providerId: 'google', serviceAccountCreds } })
  const { authToken } = (await call.createAuthToken({ params: { uid: 'ben' } })).data
  const fcmToken = google.register(account)
  replace(authToken.slice(-40), 'abcdef0123456789abcdef0123456789abcdef01')
  replace(fcmToken, 'token-of-the-phone')
  replace(fcmToken.slice(-4), 'hone')
  replace(account.projectId, 'book-shop')
  const body = {
    platform: 'fcm_android',
    authToken,
    fcmToken,
    timezone: 'Europe/Stockholm',
  } as const
  await show.registerPushToken({ body })
  await show.listPushTokens({ query: { authToken } })
  await show.switchNotificationLogs({ body: { enabled: true } })
  const id = await say(tour, 'anna', 'ben', 'The tickets are here.')
  const query = { uid: 'ben', messageId: Number(id) }
  await expect
    .poll(async () => (await call.explainNotification({ query })).data.verdict, patiently)
    .toBe('sent')
  await show.explainNotification({ query })
  await show.listNotificationLogs({ query: { uid: 'ben', limit: 1 } })
  await show.deletePushToken({ params: { pushToken: fcmToken }, body: { authToken } })
  await call.registerPushToken({ body })
  await show.deletePushTokens({ query: { all: true }, body: { authToken } })
}
