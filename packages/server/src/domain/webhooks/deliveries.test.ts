import { Webhook } from 'standardwebhooks'
import { afterAll, describe, expect, test } from 'vitest'
import { answer, type Received } from '../../../../testing/src/network/receiver.ts'
import {
  type Hook,
  hundredth,
  startWebhookFixture,
} from '../../../../testing/src/webhooks/webhook-fixture.ts'

const wait = { timeout: 30_000, interval: 20 }
const fixture = await startWebhookFixture(hundredth)
afterAll(() => fixture[Symbol.asyncDispose]())
const { app, full } = fixture
await app.given.users('ann', 'bob', 'cid')

const texts = ({ receiver }: Hook) =>
  receiver.received.map(({ body }) => body.data.message.data.text)
const say = (from: string, to: string, text: string) =>
  app.given.message(from, to, { data: { text } })
const deliveriesOf = async ({ params }: Hook, query = {}) =>
  (await full.listDeliveries({ params, query })).data
const attemptsOf = ({ receiver }: Hook) => receiver.received.length

test('a message is delivered, signed, with the password; the log shows what was sent and answered', async () => {
  const behave = answer(200, 'thank you')
  const auth = { useBasicAuth: true, username: 'joe', password: 'sesame' }
  const hook = await fixture.hook('signed', ['message_sent'], { behave, ...auth })
  const message = await say('ann', 'bob', 'hello')
  await expect.poll(() => attemptsOf(hook), wait).toBe(1)
  const [{ headers, text, body } = {} as Received] = hook.receiver.received
  expect(headers.authorization).toBe(`Basic ${Buffer.from('joe:sesame').toString('base64')}`)
  expect(headers['content-type']).toBe('application/json')
  // As a receiver would: with a library that knows nothing of ours.
  const signed = new Webhook(hook.signingSecret)
  const received = headers as Record<string, string>
  expect(signed.verify(text, received)).toEqual(body)
  expect(() => signed.verify(`${text} `, received)).toThrow()
  const { data: seen } = await full.getMessage({ params: { id: message.id } })
  const { appId } = app
  expect(body).toEqual({
    trigger: 'message_sent',
    data: { message: seen },
    appId,
    region: 'us',
    webhook: 'signed',
  })
  await expect.poll(() => deliveriesOf(hook), wait).toMatchObject([{ status: 'delivered' }])
  const [delivery] = await deliveriesOf(hook)
  const { data } = await full.getDelivery({
    params: { ...hook.params, deliveryId: delivery?.id ?? '' },
  })
  expect(data).toEqual({
    id: delivery?.id,
    eventId: headers['webhook-id'],
    trigger: 'message_sent',
    status: 'delivered',
    attempts: 1,
    createdAt: expect.any(Number),
    request: { url: hook.receiver.url, body: text },
    log: [
      {
        at: expect.any(Number),
        tookMs: expect.any(Number),
        status: 200,
        answer: 'thank you',
      },
    ],
  })
})

test('after a change of secret both sign', async () => {
  const hook = await fixture.hook('turning', ['message_sent'])
  const { data } = await full.rotateWebhookSecret({ params: hook.params })
  await say('ann', 'bob', 'hello')
  await expect.poll(() => attemptsOf(hook), wait).toBe(1)
  const [{ headers, text } = {} as Received] = hook.receiver.received
  for (const secret of [hook.signingSecret, data.signingSecret]) {
    new Webhook(secret).verify(text, headers as Record<string, string>)
  }
})

describe('a receiver that fails', () => {
  test('is asked once, unless the webhook says to retry', async () => {
    const hook = await fixture.hook('once', ['message_sent'], { behave: answer(500, 'oops') })
    await say('ann', 'bob', 'lost')
    await expect.poll(() => deliveriesOf(hook), wait).toMatchObject([{ status: 'failed' }])
    expect(attemptsOf(hook)).toBe(1)
  })

  test('is asked again after 1 and 3 times the pause, with the same id, and then no more', async () => {
    const hook = await fixture.hook('thrice', ['message_sent'], {
      behave: answer(503),
      retryOnFailure: true,
    })
    await say('ann', 'bob', 'lost')
    await expect.poll(() => deliveriesOf(hook), wait).toMatchObject([{ status: 'failed' }])
    const [first, second, third, ...more] = hook.receiver.received
    expect(more).toEqual([])
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(100)
    expect((third?.atMs ?? 0) - (second?.atMs ?? 0)).toBeGreaterThan(300)
    const ids = hook.receiver.received.map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids).size).toBe(1)
  })

  test('is waited for by its conversation, and by no other', async () => {
    let broken = true
    const hook = await fixture.hook('order', ['message_sent'], {
      retryOnFailure: true,
      retryHours: 24,
      behave: (response, { body }) =>
        response.writeHead(broken && body.data.message.data.text === 'b1' ? 500 : 200).end(),
    })
    for (const text of ['b1', 'b2', 'b3']) await say('ann', 'bob', text)
    for (const text of ['c1', 'c2']) await say('ann', 'cid', text)
    const taken = () => texts(hook).filter((text) => text !== 'b1')
    await expect.poll(taken, wait).toEqual(['c1', 'c2'])
    await expect.poll(() => attemptsOf(hook), wait).toBeGreaterThan(4)
    broken = false
    await expect.poll(taken, wait).toEqual(['c1', 'c2', 'b2', 'b3'])
    expect(texts(hook).lastIndexOf('b1')).toBeLessThan(texts(hook).indexOf('b2'))
  })

  test('by leading elsewhere is not followed', async () => {
    const inside = await fixture.hook('inside', [])
    const Location = inside.receiver.url
    const hook = await fixture.hook('astray', ['message_sent'], {
      behave: (response) => response.writeHead(307, { Location }).end(),
    })
    await say('ann', 'bob', 'hello')
    await expect.poll(() => deliveriesOf(hook), wait).toMatchObject([{ status: 'failed' }])
    expect(attemptsOf(inside)).toBe(0)
  })
})

describe('the list of deliveries', () => {
  test('is listed by status and trigger, page by page', async () => {
    const hook = await fixture.hook('paged', ['message_sent', 'group_created'])
    for (const guid of ['page1', 'page2', 'page3']) await app.given.group(guid)
    await say('ann', 'bob', 'hello')
    await expect.poll(() => deliveriesOf(hook, { status: 'delivered' }), wait).toHaveLength(4)
    expect(await deliveriesOf(hook, { trigger: 'message_sent' })).toHaveLength(1)
    expect(await deliveriesOf(hook, { status: 'failed' })).toEqual([])
    const query = { trigger: 'group_created', limit: 2 }
    const page = await full.listDeliveries({ params: hook.params, query })
    expect(page.data).toHaveLength(2)
    const { before = '' } = page.meta.next ?? {}
    const rest = await full.listDeliveries({ params: hook.params, query: { ...query, before } })
    expect([rest.data.length, rest.meta.next]).toEqual([1, undefined])
  })

  test('is delivered again: one, or all that failed', async () => {
    const hook = await fixture.hook('again', ['message_sent'], { behave: answer(500) })
    for (const text of ['one', 'two', 'three']) await say('ann', 'bob', text)
    await expect.poll(() => deliveriesOf(hook, { status: 'failed' }), wait).toHaveLength(3)
    hook.receiver.behave = answer(200)
    const [newest] = await deliveriesOf(hook)
    const deliveryId = newest?.id ?? ''
    const { data } = await full.redeliver({ params: { ...hook.params, deliveryId } })
    expect(data.status).toBe('waiting')
    await expect.poll(() => deliveriesOf(hook, { status: 'delivered' }), wait).toHaveLength(1)
    const bulk = await full.redeliverMany({
      params: hook.params,
      body: { trigger: 'message_sent', createdFrom: 1, createdTo: 9_999_999_999 },
    })
    expect(bulk.data).toEqual({ redelivered: 2 })
    await expect.poll(() => deliveriesOf(hook, { status: 'delivered' }), wait).toHaveLength(3)
    expect(texts(hook)).toEqual(['one', 'two', 'three', 'three', 'one', 'two'])
    const params = { ...hook.params, deliveryId: '01890000-0000-7000-8000-000000000000' }
    const missing = { code: 'ERR_DELIVERY_NOT_FOUND', status: 404 }
    await expect(full.getDelivery({ params })).rejects.toMatchObject(missing)
    await expect(full.redeliver({ params })).rejects.toMatchObject(missing)
  })

  test('may be a test; not where the webhook is switched off', async () => {
    const hook = await fixture.hook('tried', [])
    const { data } = await full.testWebhook({ params: hook.params })
    expect(data).toMatchObject({ trigger: 'webhook_test', status: 'waiting' })
    await expect.poll(() => attemptsOf(hook), wait).toBe(1)
    expect(hook.receiver.received[0]?.body).toMatchObject({ trigger: 'webhook_test' })
    const off = { params: hook.params, headers: { 'X-Webhook-Version': 2 } }
    await full.updateWebhook({ ...off, body: { enabled: false } })
    await expect(full.testWebhook({ params: hook.params })).rejects.toMatchObject({
      code: 'ERR_BAD_REQUEST',
    })
  })
})

test('what waited for a webhook that is gone is not delivered to another of its id', async () => {
  const failing = { behave: answer(500), retryOnFailure: true, retryHours: 24 }
  const first = await fixture.hook('reborn', ['message_sent'], failing)
  await say('ann', 'bob', 'for the first')
  await expect.poll(() => attemptsOf(first), wait).toBeGreaterThan(0)
  await full.deleteWebhook({ params: first.params, headers: { 'X-Webhook-Version': 2 } })
  // Another second: by that the two are told apart.
  const { createdAt } = await app.given.user('passing')
  await expect.poll(() => Math.floor(Date.now() / 1000), wait).toBeGreaterThan(createdAt)
  const second = await fixture.hook('reborn', ['message_sent'])
  expect(await deliveriesOf(second)).toEqual([])
  await say('ann', 'bob', 'for the second')
  await expect.poll(() => deliveriesOf(second), wait).toMatchObject([{ status: 'delivered' }])
  expect(texts(second)).toEqual(['for the second'])
})
