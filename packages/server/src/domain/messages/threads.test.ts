import { afterAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
const { message } = app.given
await app.given.users('ann', 'bob', 'cyd', 'dan')
await app.given.group('tea', {
  owner: 'ann',
  members: { moderators: ['cyd'], participants: ['bob'] },
})
const inTea = { receiverType: 'group' } as const
const hello = { data: { text: 'a reply' } }

const reply = async (onBehalfOf: string, id: string, body: object = {}) =>
  (await full.replyToMessage({ params: { id }, onBehalfOf, body: { ...hello, ...body } })).data
const threadsOf = async (onBehalfOf?: string, query = {}) =>
  (await full.listThreads({ query, ...(onBehalfOf && { onBehalfOf }) })).data
const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id)

describe('reply', () => {
  test('goes where its parent went, and knows it; the parent counts it', async () => {
    const { id } = await message('ann', 'bob')
    const answer = await reply('bob', id)
    expect(answer).toMatchObject({
      parentId: id,
      sender: 'bob',
      receiver: 'ann',
      conversationId: 'ann_user_bob',
      data: { text: 'a reply' },
    })
    await reply('ann', id, { receiver: 'bob', receiverType: 'user', multipleReceivers: {} })
    const parent = (await full.getMessage({ params: { id } })).data
    expect(parent.replyCount).toBe(2)
    await full.deleteMessage({ params: { id: answer.id } })
    expect((await full.getMessage({ params: { id } })).data.replyCount).toBe(1)
  })

  test('never raises unread counts; a setting says whether it is the last message', async () => {
    const { id } = await message('ann', 'tea', inTea)
    const seen = async () => {
      const params = { guid: 'tea' }
      const { data } = await full.getGroupConversation({ params, onBehalfOf: 'bob' })
      return { unread: data[0]?.unreadMessageCount, last: data[0]?.lastMessage?.id }
    }
    const { unread } = await seen()
    const { id: shown } = await reply('cyd', id)
    expect(await seen()).toEqual({ unread, last: shown })
    const settings = { 'core.conversations.updateOnReplies': false }
    await full.mapAppSettings({ params: { appId: app.appId }, body: { settings } })
    await reply('cyd', id)
    expect(await seen()).toEqual({ unread, last: shown })
  })

  test('is one message, however often it comes with the same muid', async () => {
    const { id } = await message('ann', 'bob')
    const first = await reply('bob', id, { muid: 'once' })
    expect(await reply('bob', id, { muid: 'once' })).toEqual(first)
    expect((await full.getMessage({ params: { id } })).data.replyCount).toBe(1)
  })
})

describe('a reply is refused', () => {
  test('where it names another conversation', async () => {
    const { id } = await message('ann', 'bob')
    const elsewhere = [
      { receiver: 'cyd' },
      { receiverType: 'group' },
      { receiver: 'ann', receiverType: 'user' },
      { multipleReceivers: { uids: ['bob'] } },
    ]
    for (const body of elsewhere) {
      await expect(reply('ann', id, body)).rejects.toMatchObject({
        code: 'ERR_WRONG_MESSAGE_THREAD',
      })
    }
  })

  test('to a reply, to an action, to what is deleted, unknown or not theirs', async () => {
    const { id } = await message('ann', 'bob')
    const { id: nested } = await reply('bob', id)
    const { data: action } = await full.deleteMessage({ params: { id } })
    const refusals: [string, string, string][] = [
      ['ann', nested, 'ERR_MESSAGE_THREAD_NESTING'],
      ['ann', action.id, 'ERR_WRONG_MESSAGE_THREAD_CATEGORY'],
      ['ann', id, 'ERR_MESSAGE_ID_NOT_FOUND'],
      ['cyd', nested, 'ERR_MESSAGE_NO_ACCESS'],
      ['nobody', nested, 'ERR_UID_NOT_FOUND'],
    ]
    for (const [uid, parent, code] of refusals) {
      await expect(reply(uid, parent)).rejects.toMatchObject({ code })
      const subscribe = full.subscribeToThread({ params: { id: parent }, onBehalfOf: uid })
      await expect(subscribe).rejects.toMatchObject({ code })
    }
  })

  test('where a send would be: content, blocks, permissions', async () => {
    const { id } = await message('ann', 'tea', inTea)
    const bad: [object, string][] = [
      [{ data: {} }, 'ERR_EMPTY_MESSAGE_TEXT'],
      [{ data: { text: 1 } }, 'ERR_INVALID_MESSAGE_TEXT'],
      [{ data: { text: 'x', metadata: 1 } }, 'ERR_INVALID_METADATA'],
      [{ type: 'smell' }, 'ERR_INVALID_MESSAGE_TYPE'],
      [{ type: 'image', data: {} }, 'ERR_EMPTY_MESSAGE_FILE'],
      [{ type: 'image', data: { attachments: 1 } }, 'ERR_INVALID_MEDIA_MESSAGE'],
      [{ category: 'custom', data: {} }, 'ERR_EMPTY_CUSTOM_DATA'],
      [{ category: 'custom', data: { customData: 1 } }, 'ERR_INVALID_CUSTOM_DATA'],
      [{ category: 'interactive', type: 'form', data: {} }, 'ERR_INVALID_MESSAGE_DATA'],
    ]
    for (const [body, code] of bad) {
      await expect(reply('bob', id, body)).rejects.toMatchObject({ code })
    }
    const params = { guid: 'tea', scope: 'participant' } as const
    const permissions = { sendThreadedMessage: 'deny' }
    await full.setScopePermissions({ params, body: { permissions } })
    await expect(reply('bob', id)).rejects.toMatchObject({ code: 'ERR_PERMISSION_DENIED' })
    await message('bob', 'tea', inTea)
    await full.setScopePermissions({
      params,
      body: { permissions: { sendThreadedMessage: 'allow' } },
    })
    const { id: between } = await message('cyd', 'dan')
    await full.blockUsers({ params: { uid: 'cyd' }, body: { blockedUids: ['dan'] } })
    await expect(reply('cyd', between)).rejects.toMatchObject({ code: 'ERR_BLOCKED_RECEIVER' })
    await expect(reply('dan', between)).rejects.toMatchObject({ code: 'ERR_BLOCKED_SENDER' })
  })
})

describe('list', () => {
  test('the threads that someone follows, the last answered first', async () => {
    await app.given.users('eve', 'fay', 'gus')
    const { id: first } = await message('eve', 'fay')
    const { id: second } = await message('eve', 'gus')
    const { id: alone } = await message('eve', 'fay')
    expect(await threadsOf('eve')).toEqual([])
    await reply('fay', first)
    await reply('gus', second)
    // Who began it and who replied follow it; nobody else does.
    expect(idsOf(await threadsOf('eve'))).toEqual([second, first])
    expect(idsOf(await threadsOf('fay'))).toEqual([first])
    await reply('eve', first)
    expect(await threadsOf('eve')).toMatchObject([
      { id: first, replyCount: 2, unreadRepliesCount: 1, data: { text: 'hello' } },
      { id: second, replyCount: 1, unreadRepliesCount: 1 },
    ])
    await full.markUserConversationRead({ params: { uid: 'fay' }, onBehalfOf: 'eve' })
    expect(await threadsOf('eve')).toMatchObject([{ unreadRepliesCount: 0 }, {}])
    await full.subscribeToThread({ params: { id: alone }, onBehalfOf: 'fay' })
    expect(idsOf(await threadsOf('fay'))).toEqual([first])
  })

  test('all of the app, page by page in both directions', async () => {
    const all = idsOf(await threadsOf(undefined, { limit: 1000 }))
    expect(all.length).toBeGreaterThan(4)
    expect((await threadsOf(undefined, { limit: 1 }))[0]).not.toHaveProperty('unreadRepliesCount')
    const walked: string[] = []
    let query: object | undefined = { limit: 2 }
    while (query) {
      const { data, meta } = await full.listThreads({ query })
      walked.push(...idsOf(data))
      query = meta.next && { limit: 2, ...meta.next }
    }
    expect(walked).toEqual(all)
    const oldest = await full.listThreads({ query: { limit: 2, affix: 'append' } })
    expect(idsOf(oldest.data)).toEqual(all.slice(-2))
    expect(oldest.meta.next).toMatchObject({ affix: 'append', sentAt: expect.any(Number) })
    const { affix, id } = oldest.meta.next ?? { affix: 'append', id: '' }
    const newer = await full.listThreads({ query: { limit: 2, affix, id } })
    expect(idsOf(newer.data)).toEqual(all.slice(-4, -2))
  })

  test('only what the user can see now, and only where replies are left', async () => {
    await app.given.users('hal', 'ida')
    await app.given.group('den', { owner: 'ann', members: { participants: ['hal'] } })
    const { id } = await message('hal', 'den', inTea)
    const { id: answer } = await reply('ann', id)
    expect(idsOf(await threadsOf('hal'))).toEqual([id])
    await full.leaveGroup({ params: { guid: 'den' }, onBehalfOf: 'hal' })
    expect(await threadsOf('hal')).toEqual([])
    await full.addMembers({ params: { guid: 'den' }, onBehalfOf: 'hal' })
    expect(idsOf(await threadsOf('hal'))).toEqual([id])
    await full.resetGroupConversation({ params: { guid: 'den' }, onBehalfOf: 'hal' })
    expect(await threadsOf('hal')).toEqual([])
    expect(idsOf(await threadsOf('ann'))).toContain(id)
    await full.deleteMessage({ params: { id: answer } })
    expect(idsOf(await threadsOf('ann'))).not.toContain(id)
  })

  test('is refused to unknown users and to roles that may not', async () => {
    await expect(threadsOf('nobody')).rejects.toMatchObject({ code: 'ERR_UID_NOT_FOUND' })
    await app.given.role('mute')
    await app.given.user('mia', { role: 'mute' })
    const body = { featuresToRestrict: ['listThreadedMessages', 'createMessageThread'] }
    await full.restrictFeatures({ params: { role: 'mute' }, body })
    await expect(threadsOf('mia')).rejects.toMatchObject({ code: 'ERR_PERMISSION_DENIED' })
    const { id } = await message('mia', 'ann')
    await expect(reply('mia', id)).rejects.toMatchObject({ code: 'ERR_PERMISSION_DENIED' })
  })
})

describe('subscription', () => {
  const follow = (onBehalfOf: string, id: string) =>
    full.subscribeToThread({ params: { id }, onBehalfOf })
  const leave = (onBehalfOf: string, id: string) =>
    full.unsubscribeFromThread({ params: { id }, onBehalfOf })

  test('begins and ends as one likes; only an own reply brings one back', async () => {
    await app.given.users('kim', 'leo')
    const { id } = await message('kim', 'leo')
    expect((await follow('leo', id)).data.id).toBe(id)
    await follow('leo', id)
    await reply('kim', id)
    expect(idsOf(await threadsOf('leo'))).toEqual([id])
    expect((await leave('kim', id)).data.id).toBe(id)
    await reply('leo', id)
    expect(await threadsOf('kim')).toEqual([])
    await reply('kim', id)
    expect(idsOf(await threadsOf('kim'))).toEqual([id])
    const names = (await app.events()).map(({ name }) => name)
    expect(names.slice(-2)).toEqual(['thread.subscribed', 'thread.unsubscribed'])
  })

  test('can be left for what is still there and seen', async () => {
    const { id } = await message('ann', 'bob')
    await expect(leave('cyd', id)).rejects.toMatchObject({ code: 'ERR_MESSAGE_NO_ACCESS' })
    await expect(leave('nobody', id)).rejects.toMatchObject({ code: 'ERR_UID_NOT_FOUND' })
    await expect(leave('ann', '1')).rejects.toMatchObject({ code: 'ERR_MESSAGE_ID_NOT_FOUND' })
  })

  test('goes with a user who is deleted for ever', async () => {
    await app.given.users('ned')
    await full.addMembers({ params: { guid: 'tea' }, onBehalfOf: 'ned' })
    const { id } = await message('ann', 'tea', inTea)
    await reply('ned', id)
    await full.deleteUser({ params: { uid: 'ned' }, body: { permanent: true } })
    await app.given.users('ned')
    await full.addMembers({ params: { guid: 'tea' }, onBehalfOf: 'ned' })
    expect(await threadsOf('ned')).toEqual([])
  })
})
