import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { auditOf } from '../../../../../testing/src/data/audit.ts'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const calls = app.as('full')
const notFound = { code: 'ERR_PROVIDER_NOT_FOUND' }

const twilio = {
  twilioAccountSID: 'AC0123456789',
  twilioAuthToken: 'twilio-token-of-the-tea-house',
  twilioSenderPhoneNumber: '+15550100',
}
const sendGrid = {
  sendGridApiKey: 'SG.sendgrid-key-of-the-tea-house',
  sendGridTemplateID: 'd-42',
  sendGridUnsubscribeGroupID: '7',
  senderName: 'Tea house',
  senderEmail: 'tea@example.com',
}

test('an account at Twilio is shown with its token masked', async () => {
  await expect(calls.getTwilio()).rejects.toMatchObject(notFound)
  await expect(calls.updateTwilio({ body: {} })).rejects.toMatchObject(notFound)
  await expect(calls.deleteTwilio()).rejects.toMatchObject(notFound)
  const shown = { ...twilio, twilioAuthToken: '********ouse', isEnabled: true }
  expect((await calls.createTwilio({ body: twilio })).data).toEqual(shown)
  expect((await calls.getTwilio()).data).toEqual(shown)
  const body = { ...shown, twilioSenderPhoneNumber: '+15550101', isEnabled: false }
  expect((await calls.updateTwilio({ body })).data).toEqual(body)
  const renewed = await calls.updateTwilio({ body: { twilioAuthToken: 'quite another token' } })
  expect(renewed.data).toEqual({ ...body, twilioAuthToken: '********' })
  expect((await calls.deleteTwilio()).data.success).toBe(true)
  await expect(calls.getTwilio()).rejects.toMatchObject(notFound)
})

test('an account at SendGrid is shown with its key masked', async () => {
  await expect(calls.getSendGrid()).rejects.toMatchObject(notFound)
  await expect(calls.updateSendGrid({ body: {} })).rejects.toMatchObject(notFound)
  await expect(calls.deleteSendGrid()).rejects.toMatchObject(notFound)
  const shown = {
    ...sendGrid,
    sendGridApiKey: '********ouse',
    allowEmailReplies: false,
    senderEmailForReplies: '',
    repliesWebhook: '',
    isEnabled: true,
  }
  const body = { ...sendGrid, senderEmailForReplies: null }
  expect((await calls.createSendGrid({ body })).data).toEqual(shown)
  expect((await calls.getSendGrid()).data).toEqual(shown)
  const change = {
    senderName: 'Den',
    allowEmailReplies: true,
    senderEmailForReplies: 're@tea.example',
  }
  expect((await calls.updateSendGrid({ body: change })).data).toEqual({ ...shown, ...change })
  expect((await calls.updateSendGrid({ body: { isEnabled: false } })).data).toEqual({
    ...shown,
    ...change,
    isEnabled: false,
  })
  expect((await calls.deleteSendGrid()).data.success).toBe(true)
})

test('their secrets are nowhere in the clear', async () => {
  await calls.createTwilio({ body: twilio })
  await calls.createSendGrid({ body: sendGrid })
  const { rows } = await sql<{ row: string }>`
    select p::text as row from notification_providers p`.execute(app.db)
  const kept = JSON.stringify([rows, await auditOf(app.db, app.appId)])
  expect(kept).toContain(twilio.twilioAccountSID)
  expect(kept).not.toContain(twilio.twilioAuthToken)
  expect(kept).not.toContain(sendGrid.sendGridApiKey)
})
