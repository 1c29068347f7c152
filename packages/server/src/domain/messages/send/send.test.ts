import { afterAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
await app.given.users('ann', 'bob', 'cyd', 'dan')
await app.given.group('tea', { owner: 'ann', members: { participants: ['bob'] } })

const toBob = { receiver: 'bob', receiverType: 'user' } as const
const toTea = { receiver: 'tea', receiverType: 'group' } as const
const hello = { data: { text: 'hello' } }

describe('requirement 4.8: send message', () => {
  test('to a user: the message, with sender and receiver as they are', async () => {
    const { data } = await full.sendMessage({
      onBehalfOf: 'ann',
      body: { ...toBob, data: { text: 'hello', metadata: { mood: 'good' } }, tags: ['first'] },
    })
    expect(data).toMatchObject({
      conversationId: 'ann_user_bob',
      sender: 'ann',
      receiver: 'bob',
      receiverType: 'user',
      category: 'message',
      type: 'text',
      tags: ['first'],
      data: {
        text: 'hello',
        metadata: { mood: 'good' },
        entities: {
          sender: { entityType: 'user', entity: { uid: 'ann' } },
          receiver: { entityType: 'user', entity: { uid: 'bob', conversationId: 'ann_user_bob' } },
        },
      },
    })
    expect(data).toMatchObject({ id: expect.stringMatching(/^\d+$/) })
    const { data: rows } = await full.getUserConversation({
      params: { uid: 'ann' },
      onBehalfOf: 'bob',
    })
    expect(rows).toMatchObject([
      { unreadMessageCount: '1', lastMessage: { data: { text: 'hello' } } },
    ])
  })

  test('to a group; without onBehalfOf the system user speaks', async () => {
    const { data } = await full.sendMessage({ body: { ...toTea, ...hello } })
    expect(data).toMatchObject({
      conversationId: 'group_tea',
      sender: 'app_system',
      receiverType: 'group',
      data: { entities: { receiver: { entityType: 'group', entity: { guid: 'tea' } } } },
    })
  })

  test('to several receivers: the message or a failure for each', async () => {
    const { data } = await full.sendMessage({
      onBehalfOf: 'ann',
      body: { ...hello, multipleReceivers: { uids: ['bob', 'nobody'], guids: ['tea'] } },
    })
    expect(data).toMatchObject({
      uids: {
        bob: { id: expect.any(String), receiver: 'bob', data: { text: 'hello' } },
        nobody: { success: false, error: { code: 'ERR_UID_NOT_FOUND' } },
      },
      guids: { tea: { receiver: 'tea', receiverType: 'group' } },
    })
  })

  test('to a receiver beside several: all of them get it, once', async () => {
    await app.given.users('kim', 'lee')
    const many = { uids: ['kim', 'lee', 'bob'], guids: [] }
    const body = { ...toBob, ...hello, multipleReceivers: many }
    const { data } = await full.sendMessage({ onBehalfOf: 'ann', body })
    expect(Object.keys('uids' in data ? (data.uids ?? {}) : {})).toEqual(['bob', 'kim', 'lee'])
    const none = { uids: [], guids: [] }
    const alone = await full.sendMessage({
      onBehalfOf: 'ann',
      body: { ...body, multipleReceivers: none },
    })
    expect(alone.data).toMatchObject({ receiver: 'bob' })
    await expect(
      full.sendMessage({ onBehalfOf: 'ann', body: { ...hello, multipleReceivers: none } }),
    ).rejects.toMatchObject({ details: { receiver: ['This field is required.'] } })
  })

  test('a call is in the log, and raises no unread count', async () => {
    const unread = async () => {
      const query = { unread: true, count: true }
      return (await full.listUserMessages({ onBehalfOf: 'bob', params: { uid: 'ann' }, query }))
        .data
    }
    const before = await unread()
    const { data } = await full.sendMessage({
      onBehalfOf: 'ann',
      body: { ...toBob, category: 'call', type: 'video', data: { action: 'initiated' } },
    })
    expect(data).toMatchObject({ category: 'call', type: 'video', data: { action: 'initiated' } })
    expect(await unread()).toEqual(before)
  })

  test('the same muid from the same sender is one message', async () => {
    const body = { ...toBob, ...hello, muid: 'once' }
    const first = await full.sendMessage({ onBehalfOf: 'ann', body })
    const again = await full.sendMessage({
      onBehalfOf: 'ann',
      body: { ...body, data: { text: 'x' } },
    })
    expect(again).toEqual(first)
    const other = await full.sendMessage({ onBehalfOf: 'bob', body: { ...body, receiver: 'ann' } })
    expect(other).not.toEqual(first)
  })

  test('mentions keep their form in the text, and are shown as users', async () => {
    const text = 'tea, <@uid:bob> and <@uid:ann>?'
    const { data } = await full.sendMessage({
      onBehalfOf: 'ann',
      body: { ...toTea, data: { text } },
    })
    expect(data).toMatchObject({
      data: { text, mentions: { bob: { uid: 'bob' }, ann: { uid: 'ann' } } },
    })
    const many = Array.from({ length: 11 }, (_, n) => `<@uid:u${n}>`).join(' ')
    await expect(
      full.sendMessage({ onBehalfOf: 'ann', body: { ...toTea, data: { text: many } } }),
    ).rejects.toMatchObject({
      code: 'ERR_BAD_REQUEST',
      details: { 'data.text': [expect.any(String)] },
    })
  })

  test('media: url repeats the first attachment, size is text of digits', async () => {
    const attachments = [{ url: 'https://x.example/a.png', name: 'a.png', size: '123' }]
    const { data } = await full.sendMessage({
      onBehalfOf: 'ann',
      body: { ...toBob, type: 'image', data: { attachments } },
    })
    expect(data).toMatchObject({
      data: { url: 'https://x.example/a.png', attachments: [{ size: '123', name: 'a.png' }] },
    })
  })

  test('a bot speaks as its user', async () => {
    const { data } = await full.sendBotMessage({
      params: { uid: 'dan' },
      body: { ...toBob, ...hello },
    })
    expect(data).toMatchObject({ sender: 'dan', receiver: 'bob' })
    await expect(
      full.sendBotMessage({ params: { uid: 'nobody' }, body: { ...toBob, ...hello } }),
    ).rejects.toMatchObject({ code: 'ERR_UID_NOT_FOUND' })
    await expect(
      full.sendBotMessage({ params: { uid: 'dan' }, body: { ...toTea, receiver: 'x', ...hello } }),
    ).rejects.toMatchObject({ code: 'ERR_GUID_NOT_FOUND' })
  })
})

const text = (value: unknown) => ({ data: { text: value } })
const contents: [string, Record<string, unknown>, string][] = [
  ['no text', { data: {} }, 'ERR_EMPTY_MESSAGE_TEXT'],
  ['an empty text', text(''), 'ERR_EMPTY_MESSAGE_TEXT'],
  ['a text that is none', text(5), 'ERR_INVALID_MESSAGE_TEXT'],
  ['a type that there is not', { type: 'smell', ...hello }, 'ERR_INVALID_MESSAGE_TYPE'],
  ['no attachment', { type: 'image', data: {} }, 'ERR_EMPTY_MESSAGE_FILE'],
  [
    'an attachment without url',
    { type: 'file', data: { attachments: [{}] } },
    'ERR_INVALID_MEDIA_MESSAGE',
  ],
  ['no customData', { category: 'custom', type: 'poll', data: {} }, 'ERR_EMPTY_CUSTOM_DATA'],
  [
    'customData that is none',
    { category: 'custom', type: 'poll', data: { customData: 1 } },
    'ERR_INVALID_CUSTOM_DATA',
  ],
  [
    'no interactiveData',
    { category: 'interactive', type: 'form', data: {} },
    'ERR_INVALID_MESSAGE_DATA',
  ],
  [
    'a call of an unknown kind',
    { category: 'call', type: 'text', data: {} },
    'ERR_INVALID_MESSAGE_TYPE',
  ],
  [
    'a call of which nothing became',
    { category: 'call', type: 'audio', data: {} },
    'ERR_INVALID_MESSAGE_DATA',
  ],
  ['metadata that is none', { data: { text: 'x', metadata: [1] } }, 'ERR_INVALID_METADATA'],
  ['a category that there is not', { category: 'dance', ...hello }, 'ERR_BAD_REQUEST'],
  ['data of over 10 KB', text('x'.repeat(10_240)), 'ERR_BAD_REQUEST'],
  ['26 tags', { ...hello, tags: Array.from({ length: 26 }, (_, n) => `t${n}`) }, 'ERR_BAD_REQUEST'],
  ['a tag of 101 characters', { ...hello, tags: ['x'.repeat(101)] }, 'ERR_BAD_REQUEST'],
  ['an empty muid', { ...hello, muid: '' }, 'ERR_BAD_REQUEST'],
]

test.each(contents)('refuses %s', async (_, body, code) => {
  const wanted = { onBehalfOf: 'ann', body: { ...toBob, ...body } }
  await expect(full.sendMessage(wanted)).rejects.toMatchObject({ code })
  const asBot = { params: { uid: 'ann' }, body: { ...toBob, ...body } }
  await expect(full.sendBotMessage(asBot)).rejects.toMatchObject({ code })
})

describe('who may write to whom', () => {
  const send = (onBehalfOf: string, to: typeof toBob | typeof toTea | object) =>
    full.sendMessage({ onBehalfOf, body: { ...hello, ...to } })

  test('receivers must exist and be named', async () => {
    await expect(send('ann', {})).rejects.toMatchObject({
      details: { receiver: [expect.any(String)] },
    })
    await expect(send('ann', { ...toTea, receiver: 'nowhere' })).rejects.toMatchObject({
      code: 'ERR_GUID_NOT_FOUND',
    })
    await expect(send('ann', { ...toBob, receiver: 'nobody' })).rejects.toMatchObject({
      code: 'ERR_UID_NOT_FOUND',
    })
  })

  test('a block stops both directions, and the system user passes', async () => {
    await full.blockUsers({ params: { uid: 'cyd' }, body: { blockedUids: ['dan'] } })
    const toDan = { receiver: 'dan', receiverType: 'user' }
    const toCyd = { receiver: 'cyd', receiverType: 'user' }
    await expect(send('cyd', toDan)).rejects.toMatchObject({ code: 'ERR_BLOCKED_RECEIVER' })
    await expect(send('dan', toCyd)).rejects.toMatchObject({ code: 'ERR_BLOCKED_SENDER' })
    await full.sendMessage({ body: { ...hello, receiver: 'cyd', receiverType: 'user' } })
  })

  test('only members write to a group; banned ones hear why', async () => {
    await expect(send('cyd', toTea)).rejects.toMatchObject({ code: 'ERR_GROUP_NOT_JOINED' })
    await full.banUser({ params: { guid: 'tea', uid: 'cyd' } })
    await expect(send('cyd', toTea)).rejects.toMatchObject({ code: 'ERR_BANNED_GROUPMEMBER' })
  })

  test('a scope, a role and its settings may deny it', async () => {
    const denied = { code: 'ERR_PERMISSION_DENIED' }
    const params = { guid: 'tea', scope: 'participant' } as const
    await full.setScopePermissions({ params, body: { permissions: { sendMessage: 'deny' } } })
    await expect(send('bob', toTea)).rejects.toMatchObject(denied)
    await full.setScopePermissions({ params, body: { permissions: { sendMessage: 'allow' } } })
    await app.given.role('shy', { settings: { sendMessagesTo: 'friendsOnly' } })
    await app.given.user('eve', { role: 'shy' })
    await expect(send('eve', toBob)).rejects.toMatchObject(denied)
    await full.addFriends({ params: { uid: 'eve' }, body: { accepted: ['bob'] } })
    await send('eve', toBob)
    const role = { role: 'shy' }
    const permissions = { 'sendMessage.allowedMessageTypes': ['image'] }
    await full.setRolePermissions({ params: role, body: { permissions } })
    await expect(send('eve', toBob)).rejects.toMatchObject(denied)
  })
})

test('a ban in another app is none here', async () => {
  const other = app.client(await app.anotherApp(), 'full')
  for (const uid of ['ann', 'bob']) await other.createUser({ body: { uid, name: uid } })
  await other.createGroup({ body: { guid: 'tea', name: 'tea', type: 'public', owner: 'ann' } })
  await other.banUser({ params: { guid: 'tea', uid: 'bob' } })
  const { data } = await full.sendMessage({ onBehalfOf: 'bob', body: { ...toTea, ...hello } })
  expect(data).toMatchObject({ sender: 'bob' })
})

test('a friendship in another app is none here', async () => {
  const other = app.client(await app.anotherApp(), 'full')
  for (const uid of ['flo', 'bob']) await other.createUser({ body: { uid, name: uid } })
  await other.addFriends({ params: { uid: 'flo' }, body: { accepted: ['bob'] } })
  await app.given.role('reserved', { settings: { sendMessagesTo: 'friendsOnly' } })
  await app.given.user('flo', { role: 'reserved' })
  const sent = full.sendMessage({ onBehalfOf: 'flo', body: { ...toBob, ...hello } })
  await expect(sent).rejects.toMatchObject({ code: 'ERR_PERMISSION_DENIED' })
})
