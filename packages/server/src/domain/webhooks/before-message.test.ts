import { ChoraleError } from '@chorale/sdk'
import { afterAll, describe, expect, test } from 'vitest'
import { answer, type Behaviour } from '../../../../testing/src/network/receiver.ts'
import { startWebhookFixture } from '../../../../testing/src/webhooks/webhook-fixture.ts'
import { unixSeconds } from '../../main/clock.ts'

const wait = { timeout: 20_000, interval: 20 }
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
// The same second all the time: webhooks are shown a message before it is stored.
const now = unixSeconds()
const fixture = stack.use(await startWebhookFixture({}, { clock: () => now }))
const { app, full } = fixture
await app.given.users('ann', 'bob')

const json = (value: unknown) => answer(200, JSON.stringify(value))
const silent: Behaviour = () => undefined
const drop = json({ action: 'do_not_propagate' })
const say = (text: string, at = fixture) => at.app.given.message('ann', 'bob', { data: { text } })
const dropped = { code: 'ERR_BLOCKED_BY_WEBHOOK', status: 403 }

/** Asked from now on, in this test alone. */
async function gate(id: string, more: Parameters<typeof fixture.oldHook>[2] = {}, at = fixture) {
  const made = await at.oldHook(id, ['before_message'], more)
  const { receiver, params } = made
  await expect
    .poll(async () => {
      await say('are you there?', at).catch(() => undefined)
      return receiver.received.length
    }, wait)
    .toBeGreaterThan(0)
  receiver.received.length = 0
  return {
    ...made,
    async [Symbol.asyncDispose]() {
      await at.full.deleteWebhook({ params })
      await expect
        .poll(async () => {
          const before = receiver.received.length
          await say('still?', at).catch(() => undefined)
          return receiver.received.length - before
        }, wait)
        .toBe(0)
    },
  }
}

test('is shown the message before it is stored; what it answers is kept with it', async () => {
  await using asked = await gate('censor', { behave: json({ mood: 'good' }) })
  const { receiver } = asked
  const data = { text: 'hello', metadata: { own: 1 } }
  const message = await app.given.message('ann', 'bob', { data, muid: 'one' })
  const [received] = receiver.received
  const { id: _, ...unplaced } = message
  expect(received?.body).toEqual({
    trigger: 'before_message',
    data: { ...unplaced, data: { ...unplaced.data, metadata: { own: 1 } } },
    appId: app.appId,
    region: 'us',
    webhook: 'censor',
    origin: { platform: 'API' },
  })
  expect(received?.headers['webhook-signature']).toMatch(/^v1,/)
  const metadata = { own: 1, '@injected': { webhooks: { censor: { mood: 'good' } } } }
  expect(message.data).toMatchObject({ text: 'hello', metadata })
  const { data: stored } = await full.getMessage({ params: { id: message.id } })
  expect(stored.data).toMatchObject({ metadata })
  receiver.behave = answer(200, 'ok')
  expect((await say('plain')).data).not.toHaveProperty('metadata')
})

test('drops a message, whichever way it is sent', async () => {
  const first = await say('the first')
  await using _wall = await gate('wall', { behave: drop })
  await expect(say('hello')).rejects.toMatchObject(dropped)
  const to = { receiver: 'bob', receiverType: 'user', data: { text: 'x' } } as const
  const body = { ...to, category: 'message', type: 'text' } as const
  await expect(full.sendBotMessage({ params: { uid: 'ann' }, body })).rejects.toMatchObject(dropped)
  const reply = { params: { id: first.id }, onBehalfOf: 'ann', body }
  await expect(full.replyToMessage(reply)).rejects.toMatchObject(dropped)
  const { calls } = await app.device('ann')
  await expect(calls.sendMessage({ body })).rejects.toMatchObject(dropped)
  const { receiver: _, receiverType: __, ...said } = body
  const many = await full.sendMessage({
    onBehalfOf: 'ann',
    body: { ...said, multipleReceivers: { uids: ['bob'] } },
  })
  expect(many.data).toMatchObject({
    uids: { bob: { success: false, error: { code: dropped.code } } },
  })
  const { data } = await full.listUserMessages({ params: { uid: 'bob' }, onBehalfOf: 'ann' })
  expect(JSON.stringify(data)).not.toContain('"text":"x"')
})

test('H5: is shown an edit before it is made, and drops it', async () => {
  const { id } = await say('harmless')
  const edit = (text: string) =>
    full.editMessage({ params: { id }, onBehalfOf: 'ann', body: { data: { text } } })
  const confidential: Behaviour = (response, received) =>
    (received.text.includes('CONFIDENTIAL') ? drop : json({ seen: true }))(response, received)
  await using asked = await gate('dlp', { behave: confidential })
  await expect(edit('CONFIDENTIAL plan')).rejects.toMatchObject(dropped)
  expect((await full.getMessage({ params: { id } })).data.data.text).toBe('harmless')
  await edit('also harmless')
  const [, received] = asked.receiver.received
  expect(received?.body).toMatchObject({
    trigger: 'before_message',
    data: { id, editedBy: 'ann', data: { text: 'also harmless' } },
  })
  const { data } = await full.getMessage({ params: { id } })
  const metadata = { '@injected': { webhooks: { dlp: { seen: true } } } }
  expect(data.data).toMatchObject({ text: 'also harmless', metadata })
})

describe('one that does not answer in time, or fails,', async () => {
  // So soon nobody need answer here: what comes too late is no better than what is wrong.
  const hasty = stack.use(await startWebhookFixture({ WEBHOOK_TIMEOUT_MS: '300' }))
  await hasty.app.given.users('ann', 'bob')
  const bad: [string, Behaviour][] = [
    ['silence', silent],
    ['a 500', answer(500, '{"action":"do_not_propagate"}')],
    ['far too much', answer(200, `{"a":"${'x'.repeat(100_000)}"}`)],
  ]
  test('lets messages pass, soon', async () => {
    await using asked = await gate('open', {}, hasty)
    for (const [what, behave] of bad) {
      asked.receiver.behave = behave
      const start = performance.now()
      expect((await say(what, hasty)).data).not.toHaveProperty('metadata')
      expect(performance.now() - start).toBeLessThan(10_000)
    }
  })

  test('H5: stops them, and edits, where the webhook says so', async () => {
    const { id } = await say('before', hasty)
    await using asked = await gate('closed', { onFailure: 'closed' }, hasty)
    const call = { params: { id }, onBehalfOf: 'ann', body: { data: { text: 'after' } } }
    for (const [what, behave] of bad) {
      asked.receiver.behave = behave
      await expect(say(what, hasty)).rejects.toMatchObject(dropped)
      await expect(hasty.full.editMessage(call)).rejects.toMatchObject(dropped)
    }
  })

  test('and nothing while all is well', async () => {
    await using _asked = await gate('well', { onFailure: 'closed' })
    expect((await say('all is well')).id).toBeDefined()
  })
})

test('another app is not asked', async () => {
  await using _ours = await gate('ours', { behave: drop })
  const keys = await app.anotherApp()
  const client = app.client(keys, 'full')
  for (const uid of ['ann', 'bob']) await client.createUser({ body: { uid, name: uid } })
  const to = { receiver: 'bob', receiverType: 'user', data: { text: 'x' } } as const
  const body = { ...to, category: 'message', type: 'text' } as const
  const { data } = await client.sendMessage({ onBehalfOf: 'ann', body })
  expect('id' in data).toBe(true)
  await expect(say('here')).rejects.toBeInstanceOf(ChoraleError)
})
