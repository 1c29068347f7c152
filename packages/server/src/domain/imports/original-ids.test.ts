import type { Message } from '@chorale/contract/conversations'
import { afterAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

const now = 1_700_000_000
const app = await startTestApp({ clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')

const failed = (code: string, field: string) =>
  expect.objectContaining({
    success: false,
    error: expect.objectContaining({ code, message: expect.stringContaining(field) }),
  })
const at = (seconds: number) => 1_600_000_000 + seconds
/** 2 to the power of 40 and more: no id of a new app. */
const id = (nth: number) => String(1_099_511_627_776 + nth)

await app.given.users('ann', 'bob')
await full.createGroup({ body: { guid: 'team', name: 'Team', type: 'public', owner: 'ann' } })
await full.addMembers({ params: { guid: 'team' }, body: { participants: ['bob'] } })

const message = (nth: number, rest = {}) => ({
  [id(nth)]: {
    id: id(nth),
    muid: id(nth),
    sender: 'ann',
    receiverType: 'user' as const,
    receiver: 'bob',
    sentAt: at(nth),
    data: { text: `text ${nth}` },
    ...rest,
  },
})

const toId = (nth: number) => ({ params: { id: id(nth) } })

/** Nothing but messages is listed here. */
const idsIn = ({ data }: { readonly data: readonly unknown[] }) =>
  (data as readonly Message[]).map((one) => one.id)

describe('a message with its own id', () => {
  test('is found by it, whatever is done with it', async () => {
    const messages = {
      ...message(1),
      ...message(2, { sender: 'bob', receiver: 'ann', parentId: id(1) }),
      ...message(3, { quotedMessageId: id(1), reactions: [{ uid: 'bob', reaction: 'ok' }] }),
      ...message(4, { editedAt: at(9), editedBy: 'ann' }),
      ...message(5, { data: {}, deletedAt: at(8), deletedBy: 'ann' }),
    }
    const { data } = await full.importMessages({ body: { messages, unread: true } })
    expect(Object.values(data).map(({ data: stored }) => stored?.id)).toEqual(
      [1, 2, 3, 4, 5].map(id),
    )
    const one = await full.getMessage(toId(1))
    expect(one.data).toMatchObject({ id: id(1), replyCount: 1 })
    expect(idsIn(await full.listReplies({ ...toId(1), query: {} }))).toEqual([id(2)])
    const quoting = await full.getMessage(toId(3))
    expect(quoting.data).toMatchObject({ quotedMessage: { id: id(1) } })
    expect(quoting.data.data.reactions).toEqual([{ reaction: 'ok', count: 1 }])
    expect((await full.getMessage(toId(4))).data).toMatchObject({
      editedAt: at(9),
      editedBy: 'ann',
      updatedAt: at(9),
    })
    expect((await full.getMessage(toId(5))).data).toMatchObject({
      deletedAt: at(8),
      deletedBy: 'ann',
    })
    await full.addReaction({ params: { id: id(3), reaction: 'new' }, onBehalfOf: 'bob' })
    await full.editMessage({ ...toId(4), body: { data: { text: 'changed here' } } })
    await full.markUserConversationRead({
      params: { uid: 'ann' },
      onBehalfOf: 'bob',
      body: { messageId: id(3) },
    })
    const page = await full.listUserMessages({
      params: { uid: 'ann' },
      onBehalfOf: 'bob',
      query: { affix: 'append', id: id(2), limit: 2 },
    })
    expect(idsIn(page)).toEqual([id(3), id(4)])
    const { data: unread } = await full.listConversations({ onBehalfOf: 'bob', query: {} })
    const withAnn = unread.find(({ conversationId }) => conversationId === 'ann_user_bob')
    expect(withAnn?.unreadMessageCount).toBe('1')
  })

  test('is followed by larger ids', async () => {
    const body = { receiver: 'bob', receiverType: 'user', data: { text: 'here' } } as const
    const { data } = await full.sendMessage({ onBehalfOf: 'ann', body })
    expect(Number('id' in data ? data.id : 0)).toBeGreaterThan(Number(id(5)))
  })

  test('is refused where the id cannot be kept, and where its parent is missing', async () => {
    const toGroup = { receiverType: 'group', receiver: 'team', sentAt: now } as const
    const [parent, reply] = [message(10, toGroup), message(11, { ...toGroup, parentId: id(10) })]
    const stored = await full.importMessages({ body: { messages: { ...parent, ...reply } } })
    expect(stored.data[id(11)]?.data).toMatchObject({ parentId: id(10) })
    const messages = {
      ...message(1, toGroup),
      ...message(9, toGroup),
      ...message(12, { ...toGroup, parentId: id(1) }),
      ...message(13, { ...toGroup, parentId: id(11) }),
      '9007199254740990': {
        ...message(0, toGroup)[id(0)],
        id: '9007199254740990',
        muid: '9007199254740990',
      },
    }
    const { data } = await full.importMessages({
      // The type asks for more than the service.
      body: { messages: messages as never },
    })
    expect(data).toEqual({
      [id(1)]: failed('ERR_IMPORT_MUID_ALREADY_EXISTS', id(1)),
      [id(9)]: failed('ERR_BAD_REQUEST', ''),
      [id(12)]: failed('ERR_BAD_REQUEST', ''),
      [id(13)]: failed('ERR_BAD_REQUEST', ''),
      '9007199254740990': failed('ERR_BAD_REQUEST', ''),
    })
  })
})

describe('what users have read', () => {
  test('is imported by the count or by the last message; others are told apart', async () => {
    const bob = { uid: 'bob', conversationType: 'user', conversationWith: 'ann' } as const
    const place = async (rest: object) => {
      const body = { conversations: { one: { ...bob, ...rest } } }
      return (await full.importConversations({ body })).data.one
    }
    expect(await place({ unreadMessageCount: 2 })).toMatchObject({
      data: { unreadMessageCount: 2 },
    })
    expect(await place({ lastReadMessageId: id(1), readAt: at(20) })).toMatchObject({
      data: { unreadMessageCount: 3 },
    })
    expect(await place({ unreadMessageCount: 0, tags: ['old'] })).toMatchObject({
      data: { unreadMessageCount: 0 },
    })
    expect(await place({ unreadMessageCount: 50 })).toMatchObject({
      data: { unreadMessageCount: 4 },
    })
    expect(await place({ lastReadMessageId: '77' })).toEqual(
      failed('ERR_MESSAGE_ID_NOT_FOUND', '77'),
    )
    expect(await place({ conversationWith: 'nobody' })).toEqual(
      failed('ERR_CONVERSATION_NOT_ACCESSIBLE', ''),
    )
    expect(
      await place({ conversationType: 'group', conversationWith: 'team', uid: 'eve' }),
    ).toEqual(failed('ERR_CONVERSATION_NOT_ACCESSIBLE', ''))
  })

  test('is imported for several in one call, also for one who is named twice', async () => {
    const bob = { uid: 'bob', conversationType: 'user', conversationWith: 'ann' } as const
    const ann = { uid: 'ann', conversationType: 'user', conversationWith: 'bob' } as const
    const { data } = await full.importConversations({
      body: {
        conversations: {
          first: { ...bob, unreadMessageCount: 1 },
          ann: { ...ann, unreadMessageCount: 0, tags: ['kept'] },
          refused: { ...ann, lastReadMessageId: '77', tags: ['lost'] },
          nobody: { ...ann, conversationWith: 'nobody', unreadMessageCount: 0 },
          last: { ...bob, lastReadMessageId: id(1) },
        },
      },
    })
    expect(data).toMatchObject({
      first: { data: { unreadMessageCount: 1 } },
      ann: { data: { unreadMessageCount: 0 } },
      refused: failed('ERR_MESSAGE_ID_NOT_FOUND', '77'),
      nobody: failed('ERR_CONVERSATION_NOT_ACCESSIBLE', ''),
      last: { data: { unreadMessageCount: 3 } },
    })
    const [bobs] = (await full.listConversations({ onBehalfOf: 'bob', query: {} })).data
    expect(Number(bobs?.unreadMessageCount)).toBe(3)
    const [anns] = (
      await full.listConversations({
        onBehalfOf: 'ann',
        query: { conversationType: 'user', withTags: true },
      })
    ).data
    expect(anns).toMatchObject({ tags: ['kept'] })
  })
})
