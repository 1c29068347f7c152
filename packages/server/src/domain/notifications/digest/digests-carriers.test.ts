import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openReceiver } from '../../../../../testing/src/network/receiver.ts'
import {
  patiently,
  startDigestFixture,
} from '../../../../../testing/src/notifications/digest-fixture.ts'

const fixture = await startDigestFixture({ worker: 'elsewhere' })
afterAll(() => fixture[Symbol.asyncDispose]())
const { app, full, mail, pair, pass, emails, texts, announced } = fixture
const receiver = await openReceiver()
afterAll(() => receiver[Symbol.asyncDispose]())

const minute = 60
const intervals = {
  email: { intervalInSeconds: minute, includeMessageObjectSetting: true },
  sms: { intervalInSeconds: minute },
}
await full.updateNotificationSettings({ body: { preferences: intervals } })

const account = {
  sendGridApiKey: 'SG.key',
  sendGridTemplateID: 'd-1',
  sendGridUnsubscribeGroupID: '7',
  senderName: 'Tea house',
  senderEmail: 'tea@chorale.example',
}
const own = {
  webhookURL: receiver.url,
  useBasicAuth: true,
  basicAuthUsername: 'chorale',
  basicAuthPassword: 'geheim ł',
}

let worker: AsyncDisposable
beforeAll(async () => {
  worker = await fixture.anotherWorker()
})
afterAll(() => worker[Symbol.asyncDispose]())
// Time that passes ends the leases of what is in hand.
afterEach(() => fixture.rests())

/** Two users who talk, and what is due of it. */
async function talk(text = 'hello') {
  const [ann, bob] = await pair()
  await app.given.message(ann, bob, { data: { text } })
  await expect.poll(async () => (await announced(bob)).length, patiently).toBeGreaterThan(0)
  return { ann, bob }
}

describe('digests go', () => {
  test('through SendGrid and Twilio', async () => {
    await full.createSendGrid({ body: account })
    const body = { twilioAccountSID: 'AC1', twilioAuthToken: 's', twilioSenderPhoneNumber: '+1' }
    await full.createTwilio({ body })
    const { ann, bob } = await talk()
    await pass(minute)
    await expect.poll(() => emails(bob), patiently).toHaveLength(1)
    expect(emails(bob)[0]).toMatchObject({
      template_id: 'd-1',
      asm: { group_id: 7 },
      from: { email: 'tea@chorale.example', name: 'Tea house' },
      personalizations: [
        {
          to: [{ email: `${bob}@chorale.example`, name: bob.toUpperCase() }],
          dynamic_template_data: {
            to: { uid: bob },
            senderDetails: { uid: ann, name: ann.toUpperCase() },
            messages: [{ sender: { uid: ann }, message: 'hello' }],
          },
        },
      ],
    })
    await expect
      .poll(() => texts(bob), patiently)
      .toEqual([`1 new messages from ${ann.toUpperCase()}`])
    await full.deleteSendGrid({})
    await full.deleteTwilio({})
  })

  test('to the own server of the app, with the address or without', async () => {
    await full.createCustomEmailProvider({ body: { ...own, useStoredEmailID: true } })
    await full.createCustomSmsProvider({ body: { ...own, useStoredPhNo: false } })
    const { ann, bob } = await talk()
    await pass(minute)
    await expect.poll(() => receiver.received, patiently).toHaveLength(2)
    const about = (channel: string) =>
      receiver.received.find(({ body }) => body.trigger.startsWith(channel))
    const sender = { uid: ann, name: ann.toUpperCase() }
    expect(about('email')?.body).toMatchObject({
      trigger: 'email-notification-payload-generated',
      appId: app.appId,
      webhook: 'custom',
      data: {
        to: { uid: bob, email: `${bob}@chorale.example`, name: bob.toUpperCase() },
        messages: [{ sender, message: 'hello', messageObject: { data: { text: 'hello' } } }],
        senderDetails: sender,
        subject: `1 new messages from ${ann.toUpperCase()}`,
      },
    })
    expect(about('sms')?.body.trigger).toBe('sms-notification-payload-generated')
    expect(about('sms')?.body.data).toEqual({
      to: { uid: bob, name: bob.toUpperCase() },
      messages: [{ sender, message: 'hello' }],
      senderDetails: sender,
      smsContent: `1 new messages from ${ann.toUpperCase()}`,
    })
    const pair = Buffer.from('chorale:geheim ł').toString('base64')
    expect(about('sms')?.headers.authorization).toBe(`Basic ${pair}`)
    await full.deleteCustomSmsProvider({})
  })

  test('nowhere else while the own server is there', async () => {
    await full.createSendGrid({ body: account })
    const { bob } = await talk()
    await pass(minute)
    await expect.poll(() => receiver.received, patiently).toHaveLength(3)
    expect(emails(bob)).toEqual([])
    await full.deleteSendGrid({})
    await full.deleteCustomEmailProvider({})
  })

  test("through the operator's mail server, if the app wants that", async () => {
    const params = { appId: app.appId }
    const settings = { 'notifications.operatorMail': true }
    await full.mapAppSettings({ params, body: { settings } })
    const { ann, bob } = await talk('see you')
    await pass(minute)
    await expect.poll(() => mail.digests, patiently).toHaveLength(1)
    const [digest = ''] = mail.digests
    expect(digest).toContain('From: Test <chat@chorale.example>')
    expect(digest).toContain(`To: ${bob.toUpperCase()} <${bob}@chorale.example>`)
    expect(digest).toContain(`Subject: 1 new messages from ${ann.toUpperCase()}`)
    expect(digest).toContain(`${ann.toUpperCase()}: see you`)
  })

  test('without a word of it to whoever wants to keep a secret', async () => {
    const [ann, bob] = await pair()
    const body = { usePrivacyTemplate: true }
    await full.updateNotificationPreferences({ query: { uid: bob }, body })
    await app.given.message(ann, bob, { data: { text: 'the secret' } })
    await expect.poll(async () => (await announced(bob)).length, patiently).toBe(1)
    await pass(minute)
    await expect.poll(() => mail.digests, patiently).toHaveLength(2)
    const digest = mail.digests.at(-1)
    expect(digest).toContain('Subject: 1 new messages\r\n')
    expect(digest).not.toContain('secret')
    expect(digest).not.toContain(ann.toUpperCase())
  })

  test('once, also when the worker is another one by then', async () => {
    const { bob } = await talk('still there')
    await worker[Symbol.asyncDispose]()
    await pass(minute)
    worker = await fixture.anotherWorker()
    await expect
      .poll(() => mail.digests.filter((one) => one.includes(bob)), patiently)
      .toHaveLength(1)
    await app.given.message(bob, bob.replace('bob', 'ann'), { data: { text: 'behind it' } })
    await expect
      .poll(async () => (await announced(bob.replace('bob', 'ann'))).length, patiently)
      .toBe(1)
    await pass(minute)
    await expect
      .poll(() => mail.digests.filter((one) => one.includes('behind it')), patiently)
      .toHaveLength(1)
    expect(mail.digests.filter((one) => one.includes('still there'))).toHaveLength(1)
  })
})
