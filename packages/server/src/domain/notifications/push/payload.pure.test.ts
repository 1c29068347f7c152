import type { Message } from '@chorale/contract/conversations'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { defaultSettings } from '../settings/default-settings.ts'
import { type PushFacts, payloadOf } from './payload.ts'
import { type PushSubject, pushTexts } from './push-texts.ts'

const user = (uid: string) => ({
  entity: {
    uid,
    name: uid.toUpperCase(),
    role: 'default',
    status: 'available' as const,
    createdAt: 1,
    metadata: { of: uid },
  },
  entityType: 'user' as const,
})

const message: Message = {
  id: '7',
  conversationId: 'ann_user_bob',
  sender: 'ann',
  receiverType: 'user',
  receiver: 'bob',
  category: 'message',
  type: 'text',
  sentAt: 1_800_000_000,
  updatedAt: 1_800_000_000,
  data: {
    text: 'Hi <@uid:bob>',
    metadata: { of: 'message' },
    mentions: { bob: user('bob').entity },
    entities: { sender: user('ann'), receiver: user('bob') },
  },
}

const { templates } = defaultSettings
const { push } = defaultSettings.preferences
const facts: PushFacts = {
  trigger: 'after_message',
  texts: { title: 'Ann', body: 'Hi @Bob' },
  sender: { id: 'ann', name: 'Ann', avatar: 'https://a.example/ann.png' },
  receiver: { id: 'bob', name: 'Bob' },
  message,
  settings: push,
  usePrivacyTemplate: false,
}

/** With title and body a second time, as every push service is told. */
const bytesOf = (data: object, { title, body }: PushFacts['texts']) =>
  Buffer.byteLength(JSON.stringify({ ...data, alert: { title, body } }))

describe('texts of a push', () => {
  const context = {
    message,
    senderDetails: { name: 'Ann' },
    groupDetails: { name: 'Tea' },
    reaction: '👍',
  }
  const subject: PushSubject = {
    trigger: 'after_message',
    category: 'message',
    type: 'text',
    receiverType: 'user',
    usePrivacyTemplate: false,
  }
  const said = (more: Partial<PushSubject>, given: object = context) =>
    pushTexts(templates, { ...subject, ...more }, given)

  test.each<[Partial<PushSubject>, string, string]>([
    [{}, 'Ann', 'Hi @BOB'],
    [{ receiverType: 'group' }, 'Ann in Tea', 'Hi @BOB'],
    [{ usePrivacyTemplate: true }, 'Ann', 'New message'],
    [{ type: 'image' }, 'Ann', '📷 Image'],
    [{ type: 'file', usePrivacyTemplate: true }, 'Ann', 'New file'],
    [{ category: 'interactive', type: 'scheduler' }, 'Ann', 'Choose a time to meet'],
    [{ category: 'interactive', type: 'mine' }, 'Ann', 'New message'],
    [{ category: 'custom', type: 'location' }, 'Ann', 'Hi @BOB'],
    [{ trigger: 'message_deleted' }, 'Ann', 'This message was deleted'],
    [{ trigger: 'message_reaction_added' }, 'Ann', 'Reacted 👍'],
    [{ trigger: 'message_reaction_added', usePrivacyTemplate: true }, 'Ann', 'New reaction'],
    [{ trigger: 'initiated', category: 'call', type: 'video' }, 'Ann', 'VIDEO CALL'],
    [{ trigger: 'cancelled', category: 'call', type: 'audio' }, 'Ann', 'AUDIO CALL'],
  ])('%j', (more, title, body) => {
    expect(said(more)).toEqual({ title, body })
  })

  test('a custom message without what the template names is told in the fallback', () => {
    const without = { ...context, message: { data: { customData: {} } } }
    expect(said({ category: 'custom', type: 'location' }, without).body).toBe('New message')
  })

  test('what happens to members is told in the name of the group', () => {
    const data = { newScope: 'admin', entities: { by: user('ann'), on: user('bob') } }
    const acted = { ...context, message: { data } }
    const told = said({ trigger: 'after_scope_changed', receiverType: 'group' }, acted)
    expect(told).toEqual({ title: 'Tea', body: 'ANN made BOB admin' })
    expect(said({ trigger: 'after_group_joined' }, acted).body).toBe('ANN joined')
  })
})

describe('a payload', () => {
  test('is texts under the names that devices know', () => {
    expect(payloadOf(facts)).toEqual({
      title: 'Ann',
      body: 'Hi @Bob',
      sender: 'ann',
      senderName: 'Ann',
      senderAvatar: 'https://a.example/ann.png',
      receiver: 'bob',
      receiverName: 'Bob',
      receiverType: 'user',
      tag: '7',
      conversationId: 'ann_user_bob',
      type: 'chat',
      sentAt: '1800000000000',
    })
  })

  test('of a call says which one, of members is tagged with the group', () => {
    const call = { sessionId: 's1', type: 'video' } as const
    expect(payloadOf({ ...facts, trigger: 'initiated', call })).toMatchObject({
      type: 'call',
      callAction: 'initiated',
      sessionId: 's1',
      callType: 'video',
    })
    const tea = { id: 'tea', name: 'Tea' }
    const joined = payloadOf({ ...facts, trigger: 'after_group_joined', receiver: tea })
    expect(joined).toMatchObject({ tag: 'tea', type: 'chat' })
  })

  test('holds the JSON of the app, and the message with the metadata that the app wants', () => {
    const settings = { ...push, includeMessageObjectSetting: true, customJson: { a: 1 } }
    const whole = payloadOf({ ...facts, settings })
    expect(JSON.parse(whole.custom ?? '')).toEqual({ a: 1 })
    expect(JSON.parse(whole.message ?? '')).toEqual(message)
    const bare = payloadOf({
      ...facts,
      settings: {
        ...settings,
        includeSenderMetadataSetting: false,
        includeReceiverMetadataSetting: false,
        includeMessageMetadataSetting: false,
      },
    })
    const { data } = JSON.parse(bare.message ?? '')
    expect(data.metadata).toBeUndefined()
    expect(data.entities.sender.entity).toEqual({ ...user('ann').entity, metadata: undefined })
    expect(data.entities.receiver.entity.metadata).toBeUndefined()
    expect(data.text).toBe(message.data.text)
    expect(payloadOf({ ...facts, settings, usePrivacyTemplate: true }).message).toBeUndefined()
  })

  test('leaves a message out that is too long, or cuts its text if the app says so', () => {
    const text = '"ä👨‍👩‍👧'.repeat(2000)
    const long = { ...message, data: { ...message.data, text } }
    const settings = { ...push, includeMessageObjectSetting: true }
    expect(payloadOf({ ...facts, message: long, settings }).message).toBeUndefined()
    const trimming = { ...settings, trimTextFieldSetting: true }
    const data = payloadOf({ ...facts, message: long, settings: trimming })
    const cut = JSON.parse(data.message ?? '').data.text
    expect(text.startsWith(cut.slice(0, -1))).toBe(true)
    expect(cut.length).toBeGreaterThan(400)
    expect(bytesOf(data, facts.texts)).toBeLessThanOrEqual(4096)
  })

  test('is never larger than 4 KB, whatever it is made of', () => {
    const text = fc
      .tuple(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 300 }))
      .map(([piece, times]) => piece.repeat(times))
    const id = fc.constantFrom('a', 'x'.repeat(100))
    const side = fc.record({ id, name: text, avatar: text })
    const made = fc.record({
      texts: fc.record({ title: text, body: text }),
      sender: side,
      receiver: side,
      said: text,
      trigger: fc.constantFrom('after_message', 'initiated', 'after_group_joined'),
      trimTextFieldSetting: fc.boolean(),
      custom: text,
    })
    fc.assert(
      fc.property(made, ({ said, trimTextFieldSetting, custom, trigger, ...more }) => {
        const conversationId = `${'a'.repeat(100)}_user_${'b'.repeat(100)}`
        const data = payloadOf({
          ...facts,
          ...more,
          trigger,
          call: { sessionId: custom, type: 'audio' },
          message: { ...message, conversationId, data: { ...message.data, text: said } },
          settings: {
            ...push,
            includeMessageObjectSetting: true,
            trimTextFieldSetting,
            customJson: { custom },
          },
        })
        const told = { title: data.title ?? '', body: data.body ?? '' }
        expect(bytesOf(data, told)).toBeLessThanOrEqual(4096)
        expect(Object.values(data).every((value) => typeof value === 'string')).toBe(true)
      }),
    )
  })
})
