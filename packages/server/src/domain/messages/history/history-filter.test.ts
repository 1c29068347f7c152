import { afterAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'

let now = 1_700_000_000
const app = await startTestApp({ clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const calls = app.as('full')
await app.given.users('ann', 'bob', 'eve')
await calls.createGroup({
  body: {
    guid: 'tea',
    name: 'Tea',
    type: 'public',
    owner: 'ann',
    members: { participants: ['bob', 'eve'] },
  },
})

type Body = NonNullable<Parameters<typeof calls.sendMessage>[0]>['body']

async function say(onBehalfOf: string, more: Partial<Body> = {}): Promise<string> {
  now++
  const body = { receiver: 'tea', receiverType: 'group', data: { text: 'plain' }, ...more } as const
  const { data } = await calls.sendMessage({ onBehalfOf, body })
  if (!('id' in data)) throw new Error('Several answers.')
  return data.id
}

const attachment = { url: 'https://files.test/a.png', name: 'a', mimeType: 'image/png' }
const said = {
  plain: await say('ann'),
  link: await say('bob', { data: { text: 'see HTTPS://chorale.test/x' } }),
  image: await say('ann', { type: 'image', data: { attachments: [attachment] } }),
  file: await say('bob', { type: 'file', data: { attachments: [attachment] } }),
  custom: await say('eve', { category: 'custom', type: 'place', data: { customData: { at: 1 } } }),
  toBob: await say('ann', { data: { text: 'hi <@uid:bob> and <@uid:eve>' } }),
  toEve: await say('bob', { data: { text: 'hi <@uid:eve>' } }),
  tagged: await say('eve', { tags: ['red', 'prepared'] }),
  gone: await say('ann'),
}
type Name = keyof typeof said
await calls.deleteMessage({ params: { id: said.gone }, onBehalfOf: 'ann' })

const nameOf = new Map(Object.entries(said).map(([name, id]) => [id, name]))
const params = { guid: 'tea' }

/** Which of the messages above a member's list has; actions are left aside. */
async function listed(query: object, onBehalfOf = 'bob'): Promise<string[]> {
  const whole = { limit: 100, ...query }
  const { data } = await calls.listGroupMessages({ params, query: whole, onBehalfOf })
  return data.flatMap((row) => ('id' in row ? (nameOf.get(row.id) ?? []) : []))
}

test.each<[object, Name[]]>([
  [{ category: 'custom' }, ['custom']],
  [{ categories: ['custom', 'action'] }, ['custom']],
  [{ category: 'custom', types: ['place'] }, ['custom']],
  [{ type: 'image' }, ['image']],
  [{ types: ['image', 'file'] }, ['image', 'file']],
  [{ sender: 'Eve' }, ['custom', 'tagged']],
  [{ hasAttachments: true }, ['image', 'file']],
  [{ attachmentTypes: 'file' }, ['file']],
  [{ hasMentions: true }, ['toBob', 'toEve']],
  [{ mentionedUids: 'bob' }, ['toBob']],
  [{ mentionedUids: 'Bob, eve' }, ['toBob', 'toEve']],
  [{ myMentionsOnly: true }, ['toBob']],
  [{ hasLinks: true }, ['link']],
  [{ tags: ['prepared', 'cold'] }, ['tagged']],
  [{ tags: ['cold'] }, []],
  [{ onlyDeleted: true }, ['gone']],
  [{ sender: 'ann', hideDeleted: true }, ['plain', 'image', 'toBob']],
  [{ sender: 'ann', type: 'text', limit: 1 }, ['gone']],
])('%j lists %j', async (query, names) => {
  expect(await listed(query)).toEqual(names)
})

test('a filter goes on where the page ended', async () => {
  const query = { sender: 'ann', type: 'text', limit: 1 }
  const pages: string[] = []
  for (let id: string | undefined; pages.length < 9; ) {
    const page = await calls.listGroupMessages({
      params,
      query: { ...query, ...(id !== undefined && { id }) },
    })
    pages.push(...page.data.flatMap((row) => ('id' in row ? row.id : [])))
    id = page.meta.previous?.id
    if (id === undefined) break
  }
  expect(pages).toEqual([said.gone, said.toBob, said.plain])
})

test('messages of users whom the reader has blocked can be hidden', async () => {
  const query = { hideMessagesFromBlockedUsers: true, hideDeleted: true, category: 'message' }
  await calls.blockUsers({ params: { uid: 'bob' }, body: { blockedUids: ['eve'] } })
  expect(await listed(query)).not.toContain('tagged')
  expect(await listed(query, 'ann')).toContain('tagged')
  await calls.unblockUsers({ params: { uid: 'bob' }, body: { blockedUids: ['eve'] } })
  expect(await listed(query)).toContain('tagged')
})

test('tags are shown when asked for', async () => {
  const one = async (query: object) => {
    const { data } = await calls.listGroupMessages({ params, query: { tags: ['red'], ...query } })
    return data[0]
  }
  expect(await one({})).not.toHaveProperty('tags')
  expect(await one({ withTags: true })).toHaveProperty('tags', ['red', 'prepared'])
})

test('mentioned users are shown with blocks and tags when asked for', async () => {
  await calls.blockUsers({ params: { uid: 'bob' }, body: { blockedUids: ['eve'] } })
  await calls.updateUser({ params: { uid: 'eve' }, body: { tags: ['vip'] } })
  const eve = async (query: object) => {
    const { data } = await calls.listGroupMessages({
      params,
      query: { mentionedUids: 'eve', limit: 1, ...query },
      onBehalfOf: 'bob',
    })
    const [row] = data
    return row && 'data' in row ? row.data.mentions?.eve : undefined
  }
  expect(await eve({})).not.toHaveProperty('blockedByMe')
  expect(await eve({})).not.toHaveProperty('tags')
  const query = { mentionsWithBlockedInfo: true, mentionswithTagInfo: true }
  expect(await eve(query)).toMatchObject({ blockedByMe: true, tags: ['vip'] })
})

describe('what is unread', () => {
  const counts = (query: object, onBehalfOf?: string) =>
    calls.listMessages({ query: { count: true, ...query }, ...(onBehalfOf && { onBehalfOf }) })

  test('is listed, and counted, per user and group', async () => {
    await calls.markGroupConversationRead({
      params,
      body: { messageId: said.custom },
      onBehalfOf: 'eve',
    })
    expect(await listed({ unread: true }, 'eve')).toEqual(['toBob', 'toEve'])
    const fresh = await say('ann', { receiver: 'eve', receiverType: 'user' })
    const { data } = await counts({ unread: true }, 'eve')
    expect(new Set(data)).toEqual(
      new Set([
        { entityId: 'tea', entityType: 'group', count: 2 },
        { entityId: 'ann', entityType: 'user', count: 1 },
      ]),
    )
    const query = { unread: true, count: true }
    const ofAnn = await calls.listUserMessages({ params: { uid: 'ann' }, query, onBehalfOf: 'eve' })
    expect(ofAnn.data).toEqual([{ entityId: 'ann', entityType: 'user', count: 1 }])
    const unread = await calls.listMessages({ query: { unread: true }, onBehalfOf: 'eve' })
    expect(unread.data.map((row) => 'id' in row && row.id)).toEqual([said.toBob, said.toEve, fresh])
  })

  test('is what was not delivered, too', async () => {
    await calls.markGroupConversationDelivered({
      params,
      body: { messageId: said.toEve },
      onBehalfOf: 'bob',
    })
    expect(await listed({ undelivered: true }, 'bob')).toEqual(['tagged', 'gone'])
  })

  test('needs a reader', async () => {
    const refused = { code: 'ERR_BAD_REQUEST' }
    await expect(counts({ unread: true })).rejects.toMatchObject(refused)
    await expect(counts({}, 'eve')).rejects.toMatchObject(refused)
    await expect(calls.listMessages({ query: { unread: true } })).rejects.toMatchObject(refused)
  })
})
