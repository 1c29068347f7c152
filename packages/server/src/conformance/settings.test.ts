import { afterAll, expect, test } from 'vitest'
import { startWebhookFixture } from '../../../testing/src/webhooks/webhook-fixture.ts'

// Where evidence of the hosted service conflicts, a setting of the app chooses.

const fixture = await startWebhookFixture()
afterAll(() => fixture[Symbol.asyncDispose]())
const { app, full } = fixture
const { appId } = app
const wait = { timeout: 30_000, interval: 20 }
await app.given.users('ann', 'bob')

/** Does the same with the setting as every app has it, switched on, and removed again. */
async function withBoth(setting: string, act: (isOn: boolean) => Promise<void>): Promise<void> {
  const params = { appId }
  expect((await full.listAppSettings({ params })).data[setting]).toBe(false)
  await act(false)
  await full.mapAppSettings({ params, body: { settings: { [setting]: true } } })
  await act(true)
  await full.unmapAppSettings({ params, body: { settings: [setting] } })
  await act(false)
}

test('webhooks.changedMessageItself: of edits and deletions the action, or the message', async () => {
  const triggers = ['message_edited', 'message_deleted'] as const
  const { receiver } = await fixture.hook('changes', triggers)
  const told = async (place: number) => {
    await expect.poll(() => receiver.received.length, wait).toBeGreaterThan(place)
    return receiver.received[place]?.body.data.message
  }
  await withBoth('webhooks.changedMessageItself', async (isOn) => {
    const next = receiver.received.length
    const params = { id: (await app.given.message('ann', 'bob')).id }
    const { data: edited } = await full.editMessage({ params, body: { data: { text: 'new' } } })
    const { data: shown } = await full.getMessage({ params })
    const first = await told(next)
    const { data: deleted } = await full.deleteMessage({ params, body: { permanent: false } })
    const second = await told(next + 1)
    if (isOn) {
      expect(first).toEqual(shown)
      expect(second).toMatchObject({ id: params.id, deletedAt: expect.any(Number) })
      expect(second.data).not.toHaveProperty('text')
    } else {
      const entities = { on: { entity: { id: params.id } } }
      expect(first).toMatchObject({ id: edited.id, category: 'action', data: { entities } })
      expect(second).toMatchObject({ id: deleted.id, category: 'action', data: { entities } })
    }
  })
})

test('messages.attachmentSizeAsNumber: text of digits, or a number, as it was sent or edited', async () => {
  await withBoth('messages.attachmentSizeAsNumber', async (isOn) => {
    for (const size of ['1024', 1024, ' 1024 ']) {
      const data = { attachments: [{ url: 'https://x.example/a.png', size }] }
      const { id } = await app.given.message('ann', 'bob', { type: 'image', data })
      const sizeOf = async () => {
        const { data: message } = await full.getMessage({ params: { id } })
        return 'attachments' in message.data ? message.data.attachments?.[0]?.size : undefined
      }
      expect(await sizeOf()).toBe(isOn ? 1024 : '1024')
      await full.editMessage({ params: { id }, body: { data } })
      expect(await sizeOf()).toBe(isOn ? 1024 : '1024')
    }
  })
})

test('moderation.mediaRules: refused, or kept and shown as they are, and nothing matches', async () => {
  const condition = {
    id: 1,
    entity: 'message',
    operand: 'image',
    operator: 'contains',
    category: 'word',
    isMediaPresent: true,
  } as const
  const value = 'Drugs & Tobacco, or so_greaterThan_80'
  const body = { conditions: [{ ...condition, value }] }
  const reason = {
    details: { 'conditions.0.isMediaPresent': [expect.stringContaining('classifier')] },
  }
  await withBoth('moderation.mediaRules', async (isOn) => {
    const given = { id: 'pictures', name: 'Pictures', ...body }
    const params = { appId, ruleId: 'pictures' }
    const drafts = [
      () => full.createRule({ body: given }),
      () => full.createRuleOfApp({ params, body: given }),
    ]
    if (!isOn) {
      for (const create of drafts) await expect(create()).rejects.toMatchObject(reason)
      return
    }
    for (const create of drafts) {
      const { data } = await create()
      const shown = { ...condition, isKeywordsReferencePresent: false, value: [value] }
      expect(data.conditions).toEqual([shown])
      expect((await full.getRuleOfApp({ params })).data).toEqual(data)
      const { data: again } = await full.updateRule({ params, body: { conditions: [shown] } })
      expect(again.conditions).toEqual([shown])
      const attachments = [{ url: 'https://x.example/a.png', name: value }]
      const sent = { type: 'image', data: { text: value, attachments } } as const
      const { id } = await app.given.message('ann', 'bob', sent)
      expect((await full.listBlockedMessages({})).data).toEqual([])
      expect((await full.getMessage({ params: { id }, onBehalfOf: 'bob' })).data.id).toBe(id)
      await full.deleteRule({ params })
    }
  })
})
