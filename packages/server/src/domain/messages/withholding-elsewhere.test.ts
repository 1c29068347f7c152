import { afterAll, expect, test, vi } from 'vitest'
import { startPushStage } from '../../testing/push-stage.ts'
import { startWebhookStage } from '../../testing/webhook-stage.ts'
import { notifyPeople } from '../notifications/index.ts'
import { countEvents } from '../stats/index.ts'
import { indexMessages } from './index.ts'

vi.setConfig({ testTimeout: 60_000 })
const wait = { timeout: 30_000, interval: 20 }
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const noSpam = { body: { id: 'no-spam', conditions: [{ value: 'spam' }] } }

test('a blocked message is pushed to nobody, found by nobody and counted nowhere', async () => {
  const { app, full, iphone, shown } = stack.use(await startPushStage())
  app.startWorker([notifyPeople, indexMessages, countEvents])
  await app.given.users('ann', 'bob')
  await full.createRule(noSpam)
  const phone = await iphone('bob')
  await app.given.message('ann', 'bob', { data: { text: 'cinnamon spam' } })
  await app.given.message('ann', 'bob', { data: { text: 'cinnamon bun' } })
  await expect.poll(() => shown(phone).map(({ body }) => body), wait).toEqual(['cinnamon bun'])
  const found = async (onBehalfOf: string) => {
    const { data } = await full.listMessages({ onBehalfOf, query: { searchKey: 'cinnamon' } })
    return data.map((one) => ('data' in one ? one.data.text : undefined))
  }
  for (const uid of ['ann', 'bob']) {
    await expect.poll(() => found(uid), wait).toEqual(['cinnamon bun'])
  }
  const day = Math.floor(Date.now() / 86_400_000) * 86_400_000
  const sent = async () => {
    const query = { startTime: day, endTime: day + 86_400_000 }
    const { data } = await full.getMessageStats({ query })
    return data.dataPoints.reduce((sum, { messagesSent }) => sum + messagesSent, 0)
  }
  await expect.poll(sent, wait).toBe(1)
})

test('webhooks hear of it as what it is, and not as of a message that was sent', async () => {
  const { app, full, hook } = stack.use(await startWebhookStage())
  await app.given.users('ann', 'bob')
  const { receiver } = await hook('all', ['message_sent', 'user_mentioned'])
  await full.createRule(noSpam)
  await app.given.message('ann', 'bob', { data: { text: 'spam for <@uid:bob>' } })
  await app.given.message('ann', 'bob', { data: { text: 'fine' } })
  await expect.poll(() => receiver.received.length, wait).toBe(1)
  expect(receiver.received[0]?.body.data.message.data.text).toBe('fine')
})
