import { afterAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
const { given } = app
await given.users('ann', 'bob', 'cid')
await given.group('tea', { owner: 'ann', members: { participants: ['bob', 'cid'] } })

const toTea = { receiverType: 'group' } as const
const text = (words: string) => ({ data: { text: words } })

async function textsOf(onBehalfOf: string | undefined, guid = 'tea') {
  const as = onBehalfOf === undefined ? {} : { onBehalfOf }
  const { data } = await full.listGroupMessages({
    ...as,
    params: { guid },
    query: { category: 'message' },
  })
  const plain = await full.listGroupMessages({ ...as, params: { guid }, query: {} })
  const texts = data.map((one) => ('data' in one ? one.data.text : undefined))
  const said = plain.data.flatMap((one) =>
    'data' in one && one.category === 'message' ? [one.data.text] : [],
  )
  // Both ways to a page agree.
  expect(said).toEqual(texts)
  return texts
}

async function unreadOf(onBehalfOf: string) {
  const query = { unread: true, count: true } as const
  const { data } = await full.listGroupMessages({ onBehalfOf, params: { guid: 'tea' }, query })
  return data.map((one) => ('count' in one ? one.count : undefined))
}

test('without a rule, a message says nothing of moderation', async () => {
  const { data } = await given.message('ann', 'bob')
  expect(data.moderation).toBeUndefined()
})

describe('a message that a rule blocks', () => {
  test('is what its sender sees, and nobody else', async () => {
    await full.createRule({ body: { id: 'no-spam', conditions: [{ value: 'spam' }] } })
    const before = await given.message('ann', 'tea', { ...toTea, ...text('before') })
    expect(before.data.moderation).toEqual({ status: 'approved' })
    const mentions = 'spam for <@uid:bob>'
    const blocked = await given.message('ann', 'tea', { ...toTea, ...text(mentions), tags: ['t'] })
    const rule = { id: 'no-spam', name: 'no-spam' }
    expect(blocked).toMatchObject({
      sender: 'ann',
      tags: ['t'],
      data: { text: mentions, moderation: { status: 'disapproved', rule } },
    })
    expect(blocked.deletedAt).toBeUndefined()
    await given.message('ann', 'tea', { ...toTea, ...text('after') })
    const params = { id: blocked.id }
    const { data: own } = await full.getMessage({ onBehalfOf: 'ann', params })
    expect(own).toEqual(blocked)
    for (const onBehalfOf of ['bob', undefined]) {
      const as = onBehalfOf === undefined ? {} : { onBehalfOf }
      await expect(full.getMessage({ ...as, params })).rejects.toMatchObject({
        code: 'ERR_MESSAGE_ID_NOT_FOUND',
      })
    }
    expect(await textsOf('ann')).toEqual(['before', mentions, 'after'])
    expect(await textsOf('bob')).toEqual(['before', 'after'])
    expect(await textsOf(undefined)).toEqual(['before', 'after'])
  })

  test('is counted for nobody, and is nobody’s last message', async () => {
    expect(await unreadOf('bob')).toEqual([2])
    const [cid, ann] = [await unreadOf('cid'), await unreadOf('ann')]
    await given.message('ann', 'tea', { ...toTea, ...text('more spam') })
    expect([await unreadOf('cid'), await unreadOf('ann')]).toEqual([cid, ann])
    for (const onBehalfOf of ['ann', 'bob']) {
      const query = { conversationType: 'group' } as const
      const { data } = await full.listConversations({ onBehalfOf, query })
      expect(data[0]?.lastMessage).toMatchObject({ data: { text: 'after' } })
    }
  })

  test('begins no conversation that anyone has in a list', async () => {
    await given.message('cid', 'bob', text('spam'))
    for (const onBehalfOf of ['cid', 'bob']) {
      const query = { conversationType: 'user' } as const
      const { data } = await full.listConversations({ onBehalfOf, query })
      expect(data.map(({ conversationId }) => conversationId)).not.toContain('bob_user_cid')
    }
    await given.message('cid', 'bob', text('fine'))
    const { data } = await full.listUserMessages({ onBehalfOf: 'bob', params: { uid: 'cid' } })
    expect(data).toMatchObject([{ data: { text: 'fine' } }])
  })

  test('is the same message when it is sent again', async () => {
    const again = { muid: 'once', ...toTea, ...text('spam once') }
    const first = await given.message('bob', 'tea', again)
    expect(await given.message('bob', 'tea', again)).toEqual(first)
    expect(await textsOf('bob')).toEqual(['before', 'after', 'spam once'])
  })

  test('can be read by its sender, and nothing else be done with it', async () => {
    const { id } = await given.message('bob', 'tea', { ...toTea, ...text('spam to touch') })
    const call = { onBehalfOf: 'bob', params: { id } }
    const words = { category: 'message', type: 'text', data: { text: 'x' } } as const
    const gone = { code: 'ERR_MESSAGE_ID_NOT_FOUND' }
    await expect(full.editMessage({ ...call, body: words })).rejects.toMatchObject(gone)
    await expect(full.deleteMessage({ ...call, body: {} })).rejects.toMatchObject(gone)
    await expect(full.replyToMessage({ ...call, body: words })).rejects.toMatchObject(gone)
    const quoting = { ...toTea, ...text('see'), quotedMessageId: id }
    await expect(given.message('bob', 'tea', quoting)).rejects.toMatchObject(gone)
  })

  test('in a thread is no reply that others see or count', async () => {
    const { id } = await given.message('ann', 'tea', { ...toTea, ...text('a question') })
    const reply = (words: string) =>
      full.replyToMessage({
        onBehalfOf: 'bob',
        params: { id },
        body: { category: 'message', type: 'text', data: { text: words } },
      })
    await reply('an answer')
    await reply('spam')
    const replies = async (onBehalfOf: string) => {
      const { data } = await full.listReplies({ onBehalfOf, params: { id } })
      return data.map((one) => ('data' in one ? one.data.text : undefined))
    }
    expect(await replies('ann')).toEqual(['an answer'])
    expect(await replies('bob')).toEqual(['an answer', 'spam'])
    const { data } = await full.getMessage({ onBehalfOf: 'ann', params: { id } })
    expect(data.replyCount).toBe(1)
  })

  test('was read by nobody, however far they have read', async () => {
    const { id } = await given.message('ann', 'bob', text('spam unread'))
    await full.markUserConversationRead({ onBehalfOf: 'bob', params: { uid: 'ann' }, body: {} })
    const { data } = await full.getMessage({ onBehalfOf: 'ann', params: { id } })
    expect([data.deliveredAt, data.readAt]).toEqual([undefined, undefined])
  })
})

describe('rules look', () => {
  test('at whom their filters let through, the first one deciding', async () => {
    const filters = [
      { type: 'sender', entity: 'user', operand: 'uid', operator: 'equals', value: 'bob' },
    ] as const
    await full.createRule({
      body: { id: 'not-bob', filters: [...filters], conditions: [{ value: 'gossip' }] },
    })
    const status = async (from: string) =>
      (await given.message(from, 'tea', { ...toTea, ...text('gossip') })).data.moderation
    expect(await status('cid')).toEqual({ status: 'approved' })
    expect(await status('bob')).toMatchObject({ status: 'disapproved', rule: { id: 'not-bob' } })
  })

  test('at custom data, captions, links and names of files', async () => {
    for (const operand of ['custom', 'link', 'image'] as const) {
      await full.createRule({ body: { id: operand, conditions: [{ operand, value: 'evil' }] } })
    }
    const moderated = async (body: object) =>
      (await given.message('ann', 'bob', body)).data.moderation?.status
    const custom = { category: 'custom', type: 'poll' }
    const image = (name: string, caption: string) => ({
      category: 'message',
      type: 'image',
      data: { text: caption, attachments: [{ url: 'https://files.example/1.png', name }] },
    })
    expect(await moderated({ ...custom, data: { customData: { a: [{ b: 'evil' }] } } })).toBe(
      'disapproved',
    )
    expect(await moderated({ ...custom, data: { customData: { evil: 1 } } })).toBe('approved')
    expect(await moderated(text('see https://evil.example/x'))).toBe('disapproved')
    expect(await moderated(text('how evil'))).toBe('approved')
    expect(await moderated(image('evil.png', ''))).toBe('disapproved')
    expect(await moderated(image('fine.png', 'spam'))).toBe('disapproved')
    expect(await moderated(image('fine.png', 'fine'))).toBe('approved')
  })

  test('at what users say, not at what the app says itself', async () => {
    const body = { receiver: 'tea', receiverType: 'group', ...text('spam of the app') } as const
    const { data } = await full.sendMessage({
      body: { ...body, category: 'message', type: 'text' },
    })
    expect(data).toMatchObject({ data: { text: 'spam of the app' } })
    expect(await textsOf('cid')).toContain('spam of the app')
  })

  test('no one forges what they said', async () => {
    const forged = { text: 'spam', moderation: { status: 'approved' } }
    const { data } = await given.message('ann', 'bob', { data: forged })
    expect(data.moderation?.status).toBe('disapproved')
  })
})

test('of a rule that flags and one that blocks, the one that blocks decides', async () => {
  const conditions = [{ value: 'both' }]
  await full.createRule({ body: { id: 'a-flags', conditions, action: ['flagMessage'] } })
  await full.createRule({ body: { id: 'b-blocks', conditions } })
  const { data } = await given.message('ann', 'tea', { ...toTea, ...text('both of them') })
  const rule = { id: 'b-blocks', name: 'b-blocks' }
  expect(data.moderation).toEqual({ status: 'disapproved', rule })
})
