import { generateKeyPairSync } from 'node:crypto'
import { sql } from 'kysely'
import { bring } from '../files/bring.ts'
import type { S3Server } from '../providers/s3-server.ts'
import type { TestApp } from '../service/test-app.ts'

/** What the calls of ./calls.ts name, made by calls before. */
export interface FaultFixture {
  readonly appId: string
  readonly apiKey: string
  /** Of ann. */
  readonly authToken: string
  readonly pushToken: string
  /** From ann to bob, who has neither received nor read it. */
  readonly message: string
  /** From ann to cyd, who has read it; cyd has reacted with `up`, saved it and follows its thread. */
  readonly read: string
  readonly pinned: string
  readonly form: string
  /** From ann to the group tea; cyd has read it, bob has not. */
  readonly inGroup: string
  /** A rule has blocked its edit. */
  readonly blocked: string
  readonly flagged: string
  readonly submission: string
  readonly dryRunId: string
  readonly deliveryId: string
  /** On a group that nothing else names. */
  readonly holdId: string
  readonly retentionId: string
  /** An upload whose bytes are there, and one without. */
  readonly brought: string
  readonly asked: string
  /** A bucket that can be used. */
  readonly store: BucketOfApp
}

interface BucketOfApp {
  readonly endpoint: string
  readonly bucketName: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

export const account = {
  project_id: 'tea-house',
  client_email: 'push@tea-house.example',
  private_key: '-----BEGIN PRIVATE KEY-----\nMIIEvgIBADANBgkq\n-----END PRIVATE KEY-----\n',
  private_key_id: '42',
}

export const p8Key = generateKeyPairSync('ec', {
  namedCurve: 'prime256v1',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
}).privateKey

export const apns = { keyId: 'KEY', teamId: 'TEAM', bundleId: 'example.tea', p8Key }
export const webhookURL = 'https://example.com/hook'
export const twilio = {
  twilioAccountSID: 'AC0123456789',
  twilioAuthToken: 'twilio-token-of-the-tea-house',
  twilioSenderPhoneNumber: '+15550100',
}
export const sendGrid = {
  sendGridApiKey: 'SG.sendgrid-key-of-the-tea-house',
  sendGridTemplateID: 'd-42',
  sendGridUnsubscribeGroupID: '7',
  senderName: 'Tea house',
  senderEmail: 'tea@example.com',
}

export async function makeFaultFixture(app: TestApp, s3: S3Server): Promise<FaultFixture> {
  const { appId } = app
  await makePeople(app)
  const messages = await makeMessages(app)
  await makeProviders(app)
  const full = app.as('full')
  const { authToken } = await app.device('ann')
  const pushToken = 'token-of-ann'
  await full.registerPushToken({
    onBehalfOf: 'ann',
    body: { platform: 'fcm_android', fcmToken: pushToken, authToken },
  })
  await full.createIssuer({
    body: { id: 'old', issuer: 'https://old.example', jwksUrl: webhookURL, audiences: ['chat'] },
  })
  const { data: key } = await full.createApiKey({ body: { name: 'Old', scope: 'authOnly' } })
  return {
    appId,
    apiKey: key.apiKey,
    authToken,
    pushToken,
    ...messages,
    ...(await makeModerated(app)),
    deliveryId: await makeDelivery(app),
    holdId: await makeHold(app),
    retentionId: await makeRetention(app),
    ...(await makeUploads(app)),
    store: { endpoint: s3.endpoint, bucketName: s3.bucket, ...s3.keys },
  }
}

async function makeUploads(app: TestApp) {
  const full = app.as('full')
  const body = { name: 'cat.png', size: 3 }
  const { data: asked } = await full.createUpload({ body })
  const { data: brought } = await full.createUpload({ body })
  if (brought.put) await bring(app, brought.put, Buffer.from('abc'))
  return { asked: asked.uploadId, brought: brought.uploadId }
}

async function makePeople({ as, given }: TestApp): Promise<void> {
  const full = as('full')
  await given.users('ann', 'bob', 'cyd', 'dan', 'eve', 'idle')
  await given.role('old')
  await given.role('denied')
  const denied = { params: { role: 'denied' } }
  await full.restrictFeatures({ ...denied, body: { featuresToRestrict: ['listUsers'] } })
  await full.setRolePermissions({ ...denied, body: { permissions: { listUsers: 'deny' } } })
  await full.addFriends({ params: { uid: 'ann' }, body: { accepted: ['bob'] } })
  await full.blockUsers({ params: { uid: 'dan' }, body: { blockedUids: ['eve'] } })
  await full.deactivateUsers({ body: { uidsToDeactivate: ['idle'] } })
  await given.group('tea', { owner: 'ann', members: { participants: ['bob', 'cyd'] } })
  await full.banUser({ params: { guid: 'tea', uid: 'eve' } })
  await full.setScopePermissions({
    params: { guid: 'tea', scope: 'moderator' },
    body: { permissions: { listMembers: 'deny' } },
  })
}

async function makeMessages({ as, given }: TestApp) {
  const full = as('full')
  const message = await given.message('ann', 'bob')
  const read = await given.message('ann', 'cyd')
  const ofRead = { params: { id: read.id }, onBehalfOf: 'cyd' }
  await full.markUserConversationRead({
    params: { uid: 'ann' },
    onBehalfOf: 'cyd',
    body: { messageId: read.id },
  })
  await full.addReactionInBody({ ...ofRead, body: { reaction: 'up' } })
  await full.saveMessage(ofRead)
  await full.subscribeToThread(ofRead)
  const pinned = await given.message('ann', 'bob')
  await full.pinMessage({ params: { id: pinned.id } })
  const form = await given.message('ann', 'bob', {
    category: 'interactive',
    type: 'form',
    data: { interactiveData: { formFields: [{ elementId: 'e1' }] } },
  })
  const inGroup = await given.message('ann', 'tea', { receiverType: 'group' })
  await full.markGroupConversationRead({
    params: { guid: 'tea' },
    onBehalfOf: 'cyd',
    body: { messageId: inGroup.id },
  })
  return {
    message: message.id,
    read: read.id,
    pinned: pinned.id,
    form: form.id,
    inGroup: inGroup.id,
  }
}

async function makeModerated({ as, given }: TestApp) {
  const full = as('full')
  await full.createReason({ body: { id: 'old', name: 'Old' } })
  await full.createKeywordList({ form: { id: 'old', category: 'word', searchTerms: 'loud' } })
  await full.createRule({ body: { id: 'old', conditions: [{ value: 'unheard' }] } })
  await full.updateRule({ params: { ruleId: 'old' }, body: { conditions: [{ value: 'spam' }] } })
  const blocked = await given.message('ann', 'bob')
  await full.editMessage({
    params: { id: blocked.id },
    onBehalfOf: 'ann',
    body: { data: { text: 'spam' } },
  })
  const flagged = await given.message('ann', 'bob')
  await full.flagMessage({
    params: { id: flagged.id },
    onBehalfOf: 'bob',
    body: { reasonId: 'spam' },
  })
  const { data } = await full.submitMessage({
    body: { sender: 'ann', receiver: 'bob', receiverType: 'user', data: { text: 'hello' } },
  })
  const { data: dryRun } = await full.dryRunRule({ params: { ruleId: 'old' }, body: {} })
  return {
    blocked: blocked.id,
    flagged: flagged.id,
    submission: data.id,
    dryRunId: dryRun.id,
  }
}

async function makeProviders({ as, appId }: TestApp): Promise<void> {
  const full = as('full')
  const fcm = { providerId: 'old', serviceAccountCreds: account }
  await full.createFcmProvider({ body: fcm })
  await full.createApnsProvider({ body: { providerId: 'old', ...apns } })
  const params = { appId }
  const settings = { version: 2, pushProvider: 1 }
  await full.createPushSettings({ params, body: { settings } })
}

/** One that has failed for good, as no receiver is called here. */
async function makeDelivery({ as, appId, db }: TestApp): Promise<string> {
  const full = as('full')
  const body = { id: 'old', name: 'Old', webhookURL }
  await full.createWebhook({ params: { appId }, body })
  const params = { appId, webhookId: 'old' }
  await full.testWebhook({ params })
  await sql`update webhook_deliveries set status = 'failed'`.execute(db)
  const { data } = await full.listDeliveries({ params })
  return data[0]?.id ?? ''
}

async function makeHold(app: TestApp): Promise<string> {
  const full = app.as('full')
  await full.createGroup({ body: { guid: 'kept', name: 'Kept', type: 'public' } })
  const { data } = await full.createHold({ body: { guid: 'kept', reason: 'A case.' } })
  return data.holdId
}

async function makeRetention(app: TestApp): Promise<string> {
  const { data } = await app.as('full').setRetention({ body: { days: 30_000, guid: 'kept' } })
  return data.retentionId
}
