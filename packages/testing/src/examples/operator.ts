import { expect } from 'vitest'
import type { Receiver } from '../network/receiver.ts'
import { codeShown } from '../service/authenticator.ts'
import { patiently, type Tour } from './tour.ts'

export async function showSettings({ show, appId }: Tour): Promise<void> {
  const params = { appId }
  await show.listApps({ query: { searchKey: 'book', perPage: 10 } })
  const settings = { 'messages.editWindowSeconds': 900, 'groups.newMembersSeeHistory': false }
  await show.mapAppSettings({ params, body: { settings } })
  await show.listAppSettings({ params })
  await show.unmapAppSettings({ params, body: { settings: Object.keys(settings) } })
}

export async function showApiKeys({ show, replace, appId }: Tour): Promise<void> {
  const { data } = await show.createApiKey({ body: { name: 'Website', scope: 'fullAccess' } })
  replace(data.apiKey, '89abcdef0123456789abcdef0123456789abcdef')
  replace(data.apiKey.slice(-4), 'cdef')
  const params = { apiKey: data.apiKey }
  await show.listApiKeys({ query: { searchKey: 'web' } })
  await show.getApiKey({ params })
  await show.updateApiKey({ params, body: { scope: 'authOnly' } })
  await show.deleteApiKey({ params })
  await show.listAuditLog({ query: { appId, operation: 'createApiKey', limit: 10 } })
}

export async function showCollaborators({ show, appId, replace, person, at }: Tour): Promise<void> {
  const params = { appId }
  const body = { moderators: ['moe@example.com'], collaboratorsToRemove: ['old@example.com'] }
  await show.updateCollaborators({ params, body })
  await show.listCollaborators({ params })
  const tenant = { name: 'Tom', email: 'tom@example.com', password: 'correct horse battery' }
  const { data } = await show.createTenant({
    body: { ...tenant, appName: 'Tea house', appRegion: 'eu' },
  })
  replace(data.app.appId, 'teahouse0001')
  replace(data.app.apiKey, '123456789abcdef0123456789abcdef012345678')
  replace(data.app.authKey, 'edcba9876543210fedcba9876543210fedcba987')
  const ada = await person()
  await ada.getSession()
  await ada.listOwnApps()
  await ada.listSessions()
  const { data: factor } = await ada.startTotp()
  replace(factor.secret, 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
  const code = codeShown(factor.secret, at())
  replace(code, '287082')
  const { data: confirmed } = await ada.confirmTotp({ body: { code } })
  for (const [place, one] of confirmed.recoveryCodes.entries()) {
    replace(one, `AAAA-BBBB-CCCC-DDD${String.fromCharCode(65 + place)}`)
  }
  const { password } = tenant
  await ada.changePassword({ body: { password, newPassword: 'a longer password' } })
  await ada.revokeSession({ params: { sessionId: 'others' } })
}

export async function showWebhooks({ show, appId, replace }: Tour, { url }: Receiver) {
  const headers = { 'X-Webhook-Version': 2 }
  const one = { params: { appId, webhookId: 'orders' } } as const
  replace(url, 'https://shop.example.com/chorale')
  const { data } = await show.createWebhook({
    params: { appId },
    headers,
    body: { id: 'orders', name: 'Order service', webhookURL: url, triggers: ['message_sent'] },
  })
  replace(data.signingSecret, 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz')
  await show.listWebhooks({ params: { appId }, headers, query: { perPage: 10 } })
  await show.getWebhook({ ...one, headers })
  await show.updateWebhook({ ...one, headers, body: { retryOnFailure: true, retryHours: 12 } })
  const triggerIds = ['message_edited']
  await show.addWebhookTriggers({ ...one, headers, body: { triggerIds } })
  await show.listWebhookTriggers({ ...one, headers })
  await show.removeWebhookTriggers({ ...one, headers, body: { triggerIds } })
  const rotated = await show.rotateWebhookSecret(one)
  replace(rotated.data.signingSecret, 'whsec_OTg3NjU0MzIxMDk4NzY1NDMyMTA5ODc2')
}

export async function showDeliveries({ show, call, appId }: Tour): Promise<void> {
  const one = { params: { appId, webhookId: 'orders' } } as const
  const { data } = await show.testWebhook(one)
  const delivery = { params: { ...one.params, deliveryId: data.id } }
  const delivered = (attempts: number) =>
    expect
      .poll(async () => (await call.getDelivery(delivery)).data, patiently)
      .toMatchObject({ status: 'delivered', attempts })
  await delivered(1)
  await show.listDeliveries({ ...one, query: { limit: 10 } })
  await show.getDelivery(delivery)
  await show.redeliver(delivery)
  await delivered(2)
  await show.redeliverMany({ ...one, body: { status: 'failed' } })
  await show.deleteWebhook({ ...one, headers: { 'X-Webhook-Version': 2 } })
}

export async function showInstall({ show, appId }: Tour): Promise<void> {
  await show.exportAuditLog({ query: { appId, operation: 'createApiKey' } })
  await show.getInstallStatus()
  await show.listDeadLetters({ query: { limit: 10 } })
  await show.replayDeadLetters({ body: { numbers: [17] } })
  await show.listUsage({ query: { days: 1, limit: 10 } })
}

export async function showFigures({ show, appId }: Tour, atSeconds: number): Promise<void> {
  const fromDate = (atSeconds - (atSeconds % 86_400)) * 1000
  await show.getStats({ query: { fromDate, toDate: fromDate + 86_400_000 } })
  // When the first messages are sent.
  const startTime = (atSeconds + 4200) * 1000
  await show.getMessageStats({ query: { startTime, endTime: startTime + 600_000 } })
  await show.getAppUsage({ params: { appId }, body: {} })
}

export async function showEvents({ show, call }: Tour): Promise<void> {
  const query = { limit: 1 }
  await expect.poll(async () => (await call.listEvents({ query })).data.length, patiently).toBe(1)
  await show.listEvents({ query })
}

export async function showDeletion({ show, call, replace }: Tour): Promise<void> {
  const { data } = await call.createApp({ body: { name: 'Old shop' } })
  replace(data.id, 'oldshop00001')
  await show.deleteApp({ params: { appId: data.id } })
}
