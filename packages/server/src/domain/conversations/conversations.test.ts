import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { say } from '../../../../testing/src/data/log-builder.ts'
import { send } from '../../../../testing/src/network/wire.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const {
  addMembers,
  blockUsers,
  deactivateUsers,
  deleteConversation,
  getConversation,
  getGroupConversation,
  getUserConversation,
  listConversations,
  resetGroupConversation,
  resetUserConversation,
  restrictFeatures,
  updateGroupConversation,
  updateUserConversation,
} = app.as('full')

const refusal = (code: string, status?: number) => ({ code, ...(status && { status }) })
const between = (uid: string, onBehalfOf: string) => ({ params: { uid }, onBehalfOf })
const inGroup = (guid: string, onBehalfOf: string) => ({ params: { guid }, onBehalfOf })
const byId = (conversationId: string, onBehalfOf: string) => ({
  params: { conversationId },
  onBehalfOf,
})

beforeAll(async () => {
  await app.given.users('ann', 'cid', 'dan', 'outsider')
  await app.given.user('bob', { tags: ['vip'], metadata: { '@private': { email: 'b' }, a: 1 } })
  await app.given.group('pub', { owner: 'ann', members: { participants: ['bob'] } })
})

describe('a conversation of two users', () => {
  test('is there for both with the first message, each with their own row', async () => {
    await expect(getUserConversation(between('bob', 'ann'))).rejects.toMatchObject(
      refusal('ERR_CONVERSATION_NOT_ACCESSIBLE', 403),
    )
    const message = await say(app, { from: 'ann', to: 'bob', text: 'hi', muid: 'm-1', at: 1000 })
    expect(message).toEqual({
      id: expect.stringMatching(/^\d+$/),
      muid: 'm-1',
      conversationId: 'ann_user_bob',
      sender: 'ann',
      receiverType: 'user',
      receiver: 'bob',
      category: 'message',
      type: 'text',
      data: {
        text: 'hi',
        entities: {
          sender: { entity: expect.objectContaining({ uid: 'ann' }), entityType: 'user' },
          receiver: { entity: expect.objectContaining({ uid: 'bob' }), entityType: 'user' },
        },
      },
      sentAt: 1000,
      updatedAt: 1000,
      receipts: { data: [] },
    })
    const { data: anns } = await getUserConversation(between('bob', 'ann'))
    expect(anns).toEqual([
      {
        conversationId: 'ann_user_bob',
        conversationType: 'user',
        unreadMessageCount: '0',
        createdAt: 1000,
        updatedAt: 1000,
        lastMessage: message,
        conversationWith: expect.objectContaining({
          uid: 'bob',
          tags: ['vip'],
          metadata: { a: 1 },
          conversationId: 'ann_user_bob',
        }),
      },
    ])
    const { data: bobs } = await getUserConversation(between('ann', 'bob'))
    expect(bobs).toMatchObject([
      {
        unreadMessageCount: '1',
        conversationWith: { uid: 'ann' },
        lastMessage: { id: message.id },
      },
    ])
  })

  test('counts what the other wrote, in digits', async () => {
    for (let n = 0; n < 11; n++) await say(app, { from: 'bob', to: 'ann', text: `${n}`, at: 1001 })
    const { data } = await getUserConversation(between('bob', 'ann'))
    expect(data).toMatchObject([
      { unreadMessageCount: '11', updatedAt: 1001, lastMessage: { data: { text: '10' } } },
    ])
  })

  test('shows who has blocked whom', async () => {
    await blockUsers({ params: { uid: 'ann' }, body: { blockedUids: ['bob'] } })
    const seen = async (uid: string, onBehalfOf: string) =>
      (await getUserConversation(between(uid, onBehalfOf))).data[0]?.conversationWith
    expect(await seen('bob', 'ann')).toMatchObject({ blockedByMe: true })
    expect(await seen('ann', 'bob')).toMatchObject({ hasBlockedMe: true })
  })

  test('is refused with users who do not exist, and with oneself', async () => {
    for (const call of [getUserConversation, updateUserConversation, resetUserConversation]) {
      await expect(call(between('nobody', 'ann'))).rejects.toMatchObject(
        refusal('ERR_UID_NOT_FOUND', 404),
      )
      await expect(call(between('ann', 'nobody'))).rejects.toMatchObject(
        refusal('ERR_UID_NOT_FOUND'),
      )
      await expect(call(between('cid', 'ann'))).rejects.toMatchObject(
        refusal('ERR_CONVERSATION_NOT_ACCESSIBLE'),
      )
      await expect(call(between('ann', 'ann'))).rejects.toMatchObject(
        refusal('ERR_CONVERSATION_NOT_ACCESSIBLE'),
      )
    }
    await app.given.user('gone')
    await say(app, { from: 'gone', to: 'ann', text: 'bye' })
    await deactivateUsers({ body: { uidsToDeactivate: ['gone'] } })
    await expect(getUserConversation(between('gone', 'ann'))).rejects.toMatchObject(
      refusal('ERR_UID_NOT_FOUND'),
    )
  })
})

describe('the conversation of a group', () => {
  test('has the group as its member sees it', async () => {
    const { data } = await getGroupConversation(inGroup('pub', 'ann'))
    expect(data).toMatchObject([
      {
        conversationId: 'group_pub',
        conversationType: 'group',
        unreadMessageCount: '1',
        lastMessage: { category: 'action', data: { action: 'added' } },
        conversationWith: { guid: 'pub', scope: 'admin', hasJoined: true, membersCount: 2 },
      },
    ])
  })

  test('is refused to outsiders, for groups and users that do not exist, and before its first entry', async () => {
    await app.given.group('silent', { owner: 'ann' })
    for (const call of [getGroupConversation, updateGroupConversation]) {
      await expect(call(inGroup('silent', 'ann'))).rejects.toMatchObject(
        refusal('ERR_CONVERSATION_NOT_ACCESSIBLE'),
      )
    }
    for (const call of [getGroupConversation, updateGroupConversation, resetGroupConversation]) {
      await expect(call(inGroup('pub', 'outsider'))).rejects.toMatchObject(
        refusal('ERR_CONVERSATION_NOT_ACCESSIBLE'),
      )
      await expect(call(inGroup('nothing', 'ann'))).rejects.toMatchObject(
        refusal('ERR_GUID_NOT_FOUND', 404),
      )
      await expect(call(inGroup('pub', 'nobody'))).rejects.toMatchObject(
        refusal('ERR_UID_NOT_FOUND'),
      )
    }
  })
})

describe('requirement 4.2: get by id', () => {
  test('answers an array, whatever the case of the id', async () => {
    const { data } = await getConversation(byId('ANN_user_bob', 'bob'))
    expect(data).toEqual((await getUserConversation(between('ann', 'bob'))).data)
    const { data: group } = await getConversation(byId('group_pub', 'bob'))
    expect(group).toEqual((await getGroupConversation(inGroup('pub', 'bob'))).data)
  })

  test('says on the wire that it is deprecated; its replacements are not', async () => {
    const headers = { appId: app.appId, apikey: app.keys.full, onBehalfOf: 'ann' }
    const get = (path: string) => send(app.origin, { path: `/v3${path}`, headers })
    const old = await get('/conversations/ann_user_bob')
    expect(old.status).toBe(200)
    expect(old.headers.deprecation).toBe('true')
    expect(JSON.parse(old.text).data).toHaveLength(1)
    for (const path of ['/users/bob/conversation', '/groups/pub/conversation']) {
      const answer = await get(path)
      expect(answer.status).toBe(200)
      expect(answer.headers).not.toHaveProperty('deprecation')
    }
  })

  test('wants onBehalfOf', async () => {
    // Missing on purpose, past the types.
    const nobody = { params: { conversationId: 'ann_user_bob' } } as ReturnType<typeof byId>
    await expect(getConversation(nobody)).rejects.toMatchObject({
      code: 'ERR_BAD_REQUEST',
      status: 400,
      details: { onBehalfOf: [expect.any(String)] },
    })
    await expect(getConversation(byId('ann_user_bob', 'nobody'))).rejects.toMatchObject(
      refusal('ERR_UID_NOT_FOUND'),
    )
  })

  test.each([
    ['of others', 'ann_user_bob'],
    ['of a group that they are not in', 'group_pub'],
    ['of a group that does not exist', 'group_nothing'],
    ['of theirs that nobody began', 'ann_user_cid'],
    ['with the uids the wrong way round', 'cid_user_ann'],
    ['with oneself', 'cid_user_cid'],
    ['of nothing', 'whatever'],
    ['of half a label', '_user_cid'],
  ])('does not find a conversation %s', async (_, id) => {
    for (const call of [getConversation, deleteConversation]) {
      await expect(call(byId(id, 'cid'))).rejects.toMatchObject(
        refusal('ERR_CONVERSATION_NOT_FOUND', 404),
      )
    }
  })
})

describe('requirement 4.3: tags', () => {
  test('are shown, replaced, and private to who tags', async () => {
    const tag = async (tags?: string[]) =>
      (await updateUserConversation({ ...between('bob', 'ann'), body: { ...(tags && { tags }) } }))
        .data
    expect(await tag(['work', '🫖'])).toMatchObject([
      { conversationId: 'ann_user_bob', tags: ['work', '🫖'] },
    ])
    expect(await tag(['later'])).toMatchObject([{ tags: ['later'] }])
    expect(await tag()).toMatchObject([{ tags: ['later'] }])
    const { data: anns } = await getUserConversation(between('bob', 'ann'))
    expect(anns[0]?.tags).toEqual(['later'])
    const { data: bobs } = await getUserConversation(between('ann', 'bob'))
    expect(bobs[0]).not.toHaveProperty('tags')
    expect((await tag([]))[0]?.tags ?? []).toEqual([])
  })

  test('of a group are private to the member', async () => {
    const { data } = await updateGroupConversation({
      ...inGroup('pub', 'bob'),
      body: { tags: ['noise'] },
    })
    expect(data).toMatchObject([{ conversationId: 'group_pub', tags: ['noise'] }])
    const { data: anns } = await getGroupConversation(inGroup('pub', 'ann'))
    expect(anns[0]).not.toHaveProperty('tags')
  })

  test('are at most 25 of at most 100 characters', async () => {
    const tag = (tags: string[]) =>
      updateUserConversation({ ...between('bob', 'ann'), body: { tags } })
    const many = Array.from({ length: 26 }, (_, n) => `t${n}`)
    await tag(many.slice(1).map((name) => name.padEnd(100, 'x')))
    await expect(tag(many)).rejects.toMatchObject({
      code: 'ERR_BAD_REQUEST',
      details: { tags: [expect.any(String)] },
    })
    await expect(tag(['x'.repeat(101)])).rejects.toMatchObject(refusal('ERR_BAD_REQUEST'))
  })
})

describe('reset', () => {
  test('hides a conversation from the one who asks, until the next message revives it', async () => {
    await say(app, { from: 'cid', to: 'dan', text: 'first' })
    const { data } = await resetUserConversation({
      ...between('cid', 'dan'),
      body: { conversationWith: 'cid' },
    })
    expect(data.success).toBe(true)
    expect((await listConversations({ onBehalfOf: 'dan' })).data).toEqual([])
    await expect(getUserConversation(between('cid', 'dan'))).rejects.toMatchObject(
      refusal('ERR_CONVERSATION_NOT_ACCESSIBLE'),
    )
    await expect(getConversation(byId('cid_user_dan', 'dan'))).rejects.toMatchObject(
      refusal('ERR_CONVERSATION_NOT_FOUND'),
    )
    expect((await getUserConversation(between('dan', 'cid'))).data).toMatchObject([
      { lastMessage: { data: { text: 'first' } } },
    ])
    await say(app, { from: 'cid', to: 'dan', text: 'second' })
    expect((await getUserConversation(between('cid', 'dan'))).data).toMatchObject([
      { unreadMessageCount: '1', lastMessage: { data: { text: 'second' } } },
    ])
    expect(await app.events()).toContainEqual({
      name: 'conversation.reset',
      payload: { bucket: expect.any(Number), key: expect.any(Number), uid: 'dan' },
    })
  })

  test('of a group keeps the member in it', async () => {
    await addMembers({ params: { guid: 'pub' }, onBehalfOf: 'cid' })
    await resetGroupConversation(inGroup('pub', 'bob'))
    await expect(getGroupConversation(inGroup('pub', 'bob'))).rejects.toMatchObject(
      refusal('ERR_CONVERSATION_NOT_ACCESSIBLE'),
    )
    await say(app, { from: 'cid', group: 'pub', text: 'back' })
    expect((await getGroupConversation(inGroup('pub', 'bob'))).data).toMatchObject([
      { unreadMessageCount: '1', conversationWith: { hasJoined: true } },
    ])
  })
})

describe('delete by id', () => {
  test('hides the conversation from all its users, and says that it is deprecated', async () => {
    await say(app, { from: 'dan', to: 'cid', text: 'third' })
    const { data } = await deleteConversation(byId('cid_user_dan', 'cid'))
    expect(data.success).toBe(true)
    for (const [one, other] of [
      ['cid', 'dan'],
      ['dan', 'cid'],
    ] as const) {
      await expect(getUserConversation(between(one, other))).rejects.toMatchObject(
        refusal('ERR_CONVERSATION_NOT_ACCESSIBLE'),
      )
    }
    await say(app, { from: 'dan', to: 'cid', text: 'fourth' })
    expect((await getUserConversation(between('dan', 'cid'))).data).toMatchObject([
      { unreadMessageCount: '1' },
    ])
    const answer = await send(app.origin, {
      method: 'DELETE',
      path: '/v3/conversations/cid_user_dan',
      headers: { appId: app.appId, apikey: app.keys.full, onBehalfOf: 'dan' },
    })
    expect(answer).toMatchObject({ status: 200, headers: { deprecation: 'true' } })
  })

  test('of a group is for its admins', async () => {
    await expect(deleteConversation(byId('group_pub', 'bob'))).rejects.toMatchObject(
      refusal('ERR_GROUP_NO_ADMIN_SCOPE', 403),
    )
    await deleteConversation(byId('group_pub', 'ann'))
    await expect(getGroupConversation(inGroup('pub', 'bob'))).rejects.toMatchObject(
      refusal('ERR_CONVERSATION_NOT_ACCESSIBLE'),
    )
    await expect(deleteConversation(byId('group_pub', 'nobody'))).rejects.toMatchObject(
      refusal('ERR_UID_NOT_FOUND'),
    )
  })
})

test('a role may be denied to see and reset conversations', async () => {
  await app.given.role('guest')
  await app.given.user('gus', { role: 'guest' })
  await say(app, { from: 'gus', to: 'ann', text: 'hello' })
  await addMembers({ params: { guid: 'pub' }, onBehalfOf: 'gus' })
  const featuresToRestrict = ['getConversation', 'listConversations', 'deleteConversationForUser']
  await restrictFeatures({ params: { role: 'guest' }, body: { featuresToRestrict } })
  const calls = [
    () => getConversation(byId('ann_user_gus', 'gus')),
    () => deleteConversation(byId('ann_user_gus', 'gus')),
    () => getUserConversation(between('ann', 'gus')),
    () => getGroupConversation(inGroup('pub', 'gus')),
    () => resetUserConversation(between('ann', 'gus')),
    () => resetGroupConversation(inGroup('pub', 'gus')),
    () => listConversations({ onBehalfOf: 'gus' }),
  ]
  for (const call of calls) {
    await expect(call()).rejects.toMatchObject(refusal('ERR_PERMISSION_DENIED', 403))
  }
})
