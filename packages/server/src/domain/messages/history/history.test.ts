import { afterAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'

let now = 1_700_000_000
const app = await startTestApp({ clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const calls = app.as('full')
const { sendMessage, listMessages, listUserMessages, listGroupMessages } = calls
const uids = ['ann', 'bob', 'cat', 'eve']
await app.given.users(...uids)
await calls.createGroup({
  body: {
    guid: 'tea',
    name: 'Tea',
    type: 'public',
    owner: 'ann',
    members: { participants: ['bob'] },
  },
})

type Body = NonNullable<Parameters<typeof sendMessage>[0]>['body']

/** Sends a text, or what is told, one second later than the last; answers the id. */
async function say(onBehalfOf: string, to: string, more: Partial<Body> = {}): Promise<string> {
  now++
  const receiverType = to === 'tea' ? 'group' : 'user'
  const body = {
    receiver: to,
    receiverType,
    data: { text: `from ${onBehalfOf}` },
    ...more,
  } as const
  const { data } = await sendMessage({ onBehalfOf, body })
  if (!('id' in data)) throw new Error('Several answers.')
  return data.id
}

const texts: string[] = []
for (let nth = 0; nth < 25; nth++) {
  texts.push(
    await say(nth % 2 ? 'bob' : 'ann', nth % 2 ? 'ann' : 'bob', { data: { text: `${nth}` } }),
  )
}

interface Listed {
  readonly data: readonly unknown[]
}
const idsOf = ({ data }: Listed) => data.map((row) => (row as { id: string }).id)

describe('a page of a conversation', () => {
  const list = (query: object = {}) =>
    listUserMessages({ params: { uid: 'bob' }, query, onBehalfOf: 'ann' })

  test('is the newest ten, in the order they were sent, the same for both', async () => {
    const page = await list()
    expect(idsOf(page)).toEqual(texts.slice(-10))
    const bobs = await listUserMessages({ params: { uid: 'ann' }, onBehalfOf: 'bob' })
    expect(idsOf(bobs)).toEqual(texts.slice(-10))
    expect(page.meta).toMatchObject({
      current: { limit: 10, count: 10 },
      next: { affix: 'append', id: texts[24] },
      previous: { affix: 'prepend', id: texts[15] },
    })
  })

  test('leads back to the first message and forth to the last, without gap or repeat', async () => {
    const walk = async (affix: 'append' | 'prepend', edge: 'next' | 'previous', id: string) => {
      const pages: string[][] = []
      for (let at: string | undefined = id; at !== undefined; ) {
        const page = await list({ affix, id: at, limit: 7 })
        pages.push(idsOf(page))
        at = page.meta[edge]?.id
      }
      return pages
    }
    const back = await walk('prepend', 'previous', texts[24] ?? '')
    expect(back.toReversed().flat()).toEqual(texts.slice(0, 24))
    // The last page offers no other.
    expect(back.map((page) => page.length)).toEqual([7, 7, 7, 3])
    expect((await walk('append', 'next', texts[0] ?? '')).flat()).toEqual(texts.slice(1))
  })

  test('begins beside a time, and lies between two', async () => {
    const first = 1_700_000_000
    expect(idsOf(await list({ affix: 'append', sentAt: first + 5, limit: 3 }))).toEqual(
      texts.slice(5, 8),
    )
    expect(idsOf(await list({ affix: 'prepend', sentAt: first + 5, limit: 3 }))).toEqual(
      texts.slice(1, 4),
    )
    expect(idsOf(await list({ fromTimestamp: first + 3, toTimestamp: first + 5 }))).toEqual(
      texts.slice(2, 5),
    )
    expect(idsOf(await list({ fromTimestamp: first + 24 }))).toEqual(texts.slice(23))
    await expect(list({ toTimestamp: first })).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' })
  })

  test('goes on from an id of another conversation too: ids have one order', async () => {
    const between = await say('ann', 'cat')
    const later = await say('ann', 'bob')
    expect(idsOf(await list({ affix: 'append', id: between }))).toEqual([later])
    expect(idsOf(await list({ affix: 'prepend', id: between, limit: 1 }))).toEqual([texts[24]])
    texts.push(later)
  })

  test('is empty for two who never spoke, and refused for nobody', async () => {
    const page = await listUserMessages({ params: { uid: 'eve' }, onBehalfOf: 'ann' })
    expect(page).toEqual({ data: [], meta: { current: { limit: 10, count: 0 } } })
    const nobody = listUserMessages({ params: { uid: 'nobody' }, onBehalfOf: 'ann' })
    await expect(nobody).rejects.toMatchObject({ code: 'ERR_UID_NOT_FOUND' })
  })
})

describe('a page of a group', () => {
  const params = { guid: 'tea' }

  test('is for its members and for the app', async () => {
    const id = await say('ann', 'tea')
    expect(idsOf(await listGroupMessages({ params, onBehalfOf: 'bob' })).at(-1)).toBe(id)
    expect(idsOf(await listGroupMessages({ params })).at(-1)).toBe(id)
    const stranger = listGroupMessages({ params, onBehalfOf: 'eve' })
    await expect(stranger).rejects.toMatchObject({ code: 'ERR_GROUP_NOT_JOINED' })
    const nowhere = listGroupMessages({ params: { guid: 'nowhere' } })
    await expect(nowhere).rejects.toMatchObject({ code: 'ERR_GUID_NOT_FOUND' })
  })

  test('is refused to who was banned', async () => {
    await calls.banUser({ params: { ...params, uid: 'eve' } })
    const banned = listGroupMessages({ params, onBehalfOf: 'eve' })
    await expect(banned).rejects.toMatchObject({ code: 'ERR_BANNED_GROUPMEMBER' })
  })

  test('shows nothing of what a member has reset', async () => {
    const hidden = new Set(idsOf(await listGroupMessages({ params, onBehalfOf: 'bob' })))
    const all = async () => idsOf(await listMessages({ query: { limit: 100 }, onBehalfOf: 'bob' }))
    expect((await all()).filter((id) => hidden.has(id))).not.toEqual([])
    await calls.resetGroupConversation({ params, onBehalfOf: 'bob' })
    expect(idsOf(await listGroupMessages({ params, onBehalfOf: 'bob' }))).toEqual([])
    expect((await all()).filter((id) => hidden.has(id))).toEqual([])
    const id = await say('ann', 'tea')
    expect(idsOf(await listGroupMessages({ params, onBehalfOf: 'bob' }))).toEqual([id])
    expect(idsOf(await listGroupMessages({ params, onBehalfOf: 'ann' })).length).toBeGreaterThan(1)
  })
})

describe('all messages', () => {
  test('of a user: of all conversations they are in, by age, page by page', async () => {
    const seen = async (limit: number) => {
      const pages: string[][] = []
      for (let id: string | undefined; pages.length < 50; ) {
        const query = { limit, ...(id !== undefined && { id }) }
        const page = await listMessages({ query, onBehalfOf: 'ann' })
        pages.push(idsOf(page))
        id = page.meta.previous?.id
        if (id === undefined) break
      }
      return pages.toReversed().flat()
    }
    const whole = await seen(1000)
    expect(whole.length).toBeGreaterThan(27)
    expect(whole.map(Number)).toEqual(whole.map(Number).toSorted((a, b) => a - b))
    expect(await seen(4)).toEqual(whole)
    expect(await seen(1)).toEqual(whole)
    const oldest = whole[0] ?? ''
    const forth = await listMessages({
      query: { affix: 'append', id: oldest, limit: 5 },
      onBehalfOf: 'ann',
    })
    expect(idsOf(forth)).toEqual(whole.slice(1, 6))
  })

  test('of a user, as the app looks at them: by page size, with a cursor', async () => {
    const params = { uid: 'ann' }
    const first = await listUserMessages({ params, query: { perPage: 5 } })
    expect(first.meta).toMatchObject({
      pagination: { count: 5, per_page: 5, current_page: 1 },
      cursor: { affix: 'prepend' },
    })
    const { cursor } = first.meta
    const second = await listUserMessages({
      params,
      query: { perPage: 5, id: String(cursor?.id), affix: cursor?.affix ?? 'append' },
    })
    const both = [...idsOf(second), ...idsOf(first)]
    expect(both).toEqual(idsOf(await listMessages({ query: { limit: 10 }, onBehalfOf: 'ann' })))
    const nobody = listUserMessages({ params: { uid: 'nobody' } })
    await expect(nobody).rejects.toMatchObject({ code: 'ERR_UID_NOT_FOUND' })
  })

  test('of the app: what anyone said, also between others', async () => {
    const id = await say('bob', 'cat')
    expect(idsOf(await listMessages({ query: { limit: 1 } }))).toEqual([id])
    expect(idsOf(await listMessages({ query: { limit: 100 }, onBehalfOf: 'ann' }))).not.toContain(
      id,
    )
    const whole = idsOf(await listMessages({ query: { limit: 1000 } }))
    const half = await listMessages({ query: { limit: 1000, id: whole[20] ?? '' } })
    expect(idsOf(half)).toEqual(whole.slice(0, 20))
    const from = { fromTimestamp: now, toTimestamp: now }
    expect(idsOf(await listMessages({ query: from }))).toEqual([id])
    expect(
      idsOf(await listMessages({ query: { receiverType: 'group', limit: 1000 } })).length,
    ).toBe(
      idsOf(await listGroupMessages({ params: { guid: 'tea' }, query: { limit: 1000 } })).length,
    )
  })

  test('of one conversation, by its label', async () => {
    const query = { conversationId: 'ann_user_bob', limit: 100 }
    expect(idsOf(await listMessages({ query, onBehalfOf: 'ann' }))).toEqual(texts)
    expect(idsOf(await listMessages({ query }))).toEqual(texts)
    const stranger = listMessages({ query, onBehalfOf: 'cat' })
    await expect(stranger).rejects.toMatchObject({ code: 'ERR_CONVERSATION_NOT_ACCESSIBLE' })
    const tea = { conversationId: 'group_tea' }
    expect(idsOf(await listMessages({ query: tea, onBehalfOf: 'ann' })).length).toBeGreaterThan(0)
    const group = listMessages({ query: tea, onBehalfOf: 'cat' })
    await expect(group).rejects.toMatchObject({ code: 'ERR_CONVERSATION_NOT_ACCESSIBLE' })
  })
})
