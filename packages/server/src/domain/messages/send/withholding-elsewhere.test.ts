import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { startPushFixture } from '../../../../../testing/src/notifications/push-fixture.ts'
import { startWebhookFixture } from '../../../../../testing/src/webhooks/webhook-fixture.ts'
import { notifyUsers } from '../../notifications/index.ts'
import { openCases } from '../../rules/cases/index.ts'
import { countEvents } from '../../stats/index.ts'
import { notifyWebhooks } from '../../webhooks/index.ts'
import { indexMessages } from '../search/search.on.ts'

const wait = { timeout: 30_000, interval: 20 }
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const noSpam = { body: { id: 'no-spam', conditions: [{ value: 'spam' }] } }

test('a blocked message is pushed to nobody, found by nobody and counted nowhere', async () => {
  const dayMs = 86_400_000
  const today = Math.floor(Date.now() / dayMs) * dayMs
  const { app, full, iphone, shown } = stack.use(await startPushFixture())
  app.startWorker([notifyUsers, indexMessages, countEvents])
  await app.given.users('ann', 'bob')
  await full.createRule(noSpam)
  const phone = await iphone('bob')
  await app.given.message('ann', 'bob', { data: { text: 'cinnamon spam' } })
  await app.given.message('ann', 'bob', { data: { text: 'cinnamon bun' } })
  await expect.poll(() => shown(phone).map(({ body }) => body), wait).toEqual(['cinnamon bun'])
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from notification_deliveries where app_id = ${app.appId}`.execute(app.db)
  expect(rows).toEqual([{ n: 1 }])
  const found = async (onBehalfOf: string) => {
    const { data } = await full.listMessages({ onBehalfOf, query: { searchKey: 'cinnamon' } })
    return data.map((one) => ('data' in one ? one.data.text : undefined))
  }
  for (const uid of ['ann', 'bob']) {
    await expect.poll(() => found(uid), wait).toEqual(['cinnamon bun'])
  }
  const sent = async () => {
    // It may be tomorrow by now.
    const query = { startTime: today, endTime: today + 2 * dayMs, interval: 3600 } as const
    const { data } = await full.getMessageStats({ query })
    return data.dataPoints.reduce((sum, { messagesSent }) => sum + messagesSent, 0)
  }
  await expect.poll(sent, wait).toBe(1)
})

test('webhooks hear of it as what it is, and not as of a message that was sent', async () => {
  const { app, full, hook } = stack.use(await startWebhookFixture({}, { worker: 'elsewhere' }))
  // One worker: behind a pooler a process has one connection for its leases.
  app.startWorker([notifyWebhooks, openCases])
  await app.given.users('ann', 'bob')
  await app.given.group('den', { owner: 'ann', members: { participants: ['bob'] } })
  const say = (text: string) =>
    app.given.message('ann', 'den', { receiverType: 'group', data: { text } })
  const triggers = ['engine_approved', 'engine_blocked', 'manual_approved'] as const
  const { receiver } = await hook('all', [
    'message_read_by_all',
    'message_sent',
    'user_mentioned',
    ...triggers.map((name) => `moderation_${name}` as const),
  ])
  const told = () =>
    receiver.received.flatMap(({ body: { trigger, data } }) =>
      data.message ? [[trigger, data.message.data.text]] : [],
    )
  await full.createRule(noSpam)
  const { id } = await say('spam <@uid:bob>')
  const blocked = ['moderation_engine_blocked', 'spam <@uid:bob>']
  await expect.poll(told, wait).toEqual([blocked])
  expect(receiver.received[0]?.body.data).toMatchObject({
    message: { id, data: { moderation: { status: 'disapproved', rule: { id: 'no-spam' } } } },
    moderation: [{ condition: { value: ['spam'] }, rule: { id: 'no-spam' } }],
  })
  const fine = await say('fine')
  await say('spam')
  await full.markGroupConversationRead({ onBehalfOf: 'bob', params: { guid: 'den' }, body: {} })
  const readByAll = () =>
    receiver.received.flatMap(({ body: { data } }) => data.body?.messageId ?? [])
  await expect.poll(readByAll, wait).toEqual([fine.id])
  await expect.poll(() => told().length, wait).toBe(4)
  expect(told().slice(1).sort()).toEqual([
    ['message_sent', 'fine'],
    ['moderation_engine_approved', 'fine'],
    ['moderation_engine_blocked', 'spam'],
  ])
  await full.reviewBlockedMessage({ params: { messageId: id }, body: { status: 'approved' } })
  await expect.poll(() => told().length, wait).toBe(7)
  const late = told().slice(4).sort()
  expect(late.map(([trigger]) => trigger)).toEqual([
    ...['message_sent', 'moderation_manual_approved', 'user_mentioned'],
  ])
  const manual = receiver.received.find(({ body }) => body.trigger === 'moderation_manual_approved')
  expect(manual?.body.data.moderation).toMatchObject([{ rule: { condition: { value: ['spam'] } } }])
})
