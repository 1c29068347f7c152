import type { Api } from '@chorale/contract/api'
import type { CallInput } from '@chorale/contract/operation'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { say } from '../../../../testing/src/data/log-builder.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { walkByCursor } from '../../../../testing/src/service/walk.ts'

type Query = NonNullable<CallInput<Api['listConversations']>['query']>

const app = await startTestApp({ clock: () => 1_700_000_000 })
afterAll(() => app[Symbol.asyncDispose]())
const {
  addMembers,
  blockUsers,
  kickMember,
  listConversations,
  markUserConversationRead,
  updateGroupConversation,
  updateUserConversation,
} = app.as('full')

const idsOf = ({ data }: { data: readonly { conversationId: string }[] }) =>
  data.map(({ conversationId }) => conversationId)
const annSees = async (query: Query = {}) =>
  idsOf(await listConversations({ query, onBehalfOf: 'ann' }))

beforeAll(async () => {
  await app.given.users('ann', 'eve', 'zed')
  await app.given.user('bob', { name: 'Bob', tags: ['vip'] })
  await app.given.user('cid', { name: 'Bobby', tags: ['vip', 'new'] })
  await app.given.group('pub', { name: 'The Pub', owner: 'ann', tags: ['loud'] })
  await app.given.group('den', { name: 'Bobbing', owner: 'ann', tags: ['calm'] })
  await say(app, { from: 'bob', to: 'ann', text: 'one', at: 1_700_000_010 })
  await say(app, { from: 'cid', to: 'ann', text: 'two', at: 1_700_000_020 })
  await say(app, { from: 'eve', to: 'ann', text: 'three', at: 1_700_000_030 })
  await say(app, { from: 'ann', to: 'zed', text: 'four', at: 1_700_000_040 })
  await say(app, { from: 'ann', group: 'pub', text: 'five', at: 1_700_000_050 })
  await say(app, { from: 'ann', group: 'den', text: 'six', at: 1_700_000_060 })
  await updateUserConversation({
    params: { uid: 'bob' },
    body: { tags: ['work'] },
    onBehalfOf: 'ann',
  })
  await updateGroupConversation({
    params: { guid: 'pub' },
    body: { tags: ['work', 'fun'] },
    onBehalfOf: 'ann',
  })
  await blockUsers({ params: { uid: 'eve' }, body: { blockedUids: ['ann'] } })
  await markUserConversationRead({ params: { uid: 'bob' }, onBehalfOf: 'ann' })
})

const bob = 'ann_user_bob'
const cid = 'ann_user_cid'
const eve = 'ann_user_eve'
const zed = 'ann_user_zed'
const pub = 'group_pub'
const den = 'group_den'

describe('a user', () => {
  const filters: [string, Query, string[]][] = [
    ['theirs, the last active first, without the blocked', {}, [den, pub, zed, cid, bob]],
    ['the blocked too', { includeBlockedUsers: true }, [den, pub, zed, eve, cid, bob]],
    ['those with users', { conversationType: 'user' }, [zed, cid, bob]],
    ['those of groups', { conversationType: 'group' }, [den, pub]],
    ['those with their own tag', { tags: ['work'] }, [pub, bob]],
    ['those with any of their own tags', { tags: ['fun', 'unknown'] }, [pub]],
    ['those with tagged users', { userTags: ['vip'] }, [cid, bob]],
    ['those with users with any of the tags', { userTags: ['new', 'loud'] }, [cid]],
    ['those of tagged groups', { groupTags: ['loud'] }, [pub]],
    ['those with a name that starts so', { searchKey: 'BOB' }, [den, cid, bob]],
    ['no uid, no middle of a name', { searchKey: 'pub' }, []],
    ['no wildcard', { searchKey: '%' }, []],
    ['the unread', { unread: true }, [cid]],
    ['the unread of the blocked too', { unread: true, includeBlockedUsers: true }, [eve, cid]],
    ['all when unread is not wanted', { unread: false }, [den, pub, zed, cid, bob]],
    ['several filters at once', { searchKey: 'bob', userTags: ['vip'], unread: true }, [cid]],
    ['the second page', { perPage: 2, page: 2 }, [zed, cid]],
  ]
  test.each(filters)('sees %s', async (_, query, ids) => {
    expect(await annSees(query)).toEqual(ids)
  })

  test('sees rows as they are theirs', async () => {
    const rows = async (query: Query) =>
      (await listConversations({ query, onBehalfOf: 'ann' })).data
    const [first] = await rows({ conversationType: 'group' })
    expect(first).toEqual({
      conversationId: den,
      conversationType: 'group',
      unreadMessageCount: '0',
      createdAt: 1_700_000_000,
      updatedAt: 1_700_000_060,
      lastMessage: expect.objectContaining({ sender: 'ann', receiver: 'den' }),
      conversationWith: expect.objectContaining({ guid: 'den', scope: 'admin', hasJoined: true }),
    })
    const [, , , last] = await rows({})
    expect(last).toMatchObject({ unreadMessageCount: '1', conversationWith: { uid: 'cid' } })
  })

  test('sees own tags with withTags, tags of the other side with withUserAndGroupTags', async () => {
    const first = async (query: Query) => {
      const search: Query = { tags: ['fun'], ...query }
      const [row] = (await listConversations({ query: search, onBehalfOf: 'ann' })).data
      return { own: row?.tags, other: row?.conversationWith.tags }
    }
    expect(await first({})).toEqual({})
    expect(await first({ withTags: true })).toEqual({ own: ['work', 'fun'] })
    expect(await first({ withUserAndGroupTags: true })).toEqual({ other: ['loud'] })
  })

  test('sees blocks with withBlockedInfo', async () => {
    const seen = async (query: Query) => {
      const { data } = await listConversations({
        query: { includeBlockedUsers: true, ...query },
        onBehalfOf: 'ann',
      })
      return data.find(({ conversationId }) => conversationId === eve)?.conversationWith
    }
    expect(await seen({})).not.toHaveProperty('hasBlockedMe')
    expect(await seen({ withBlockedInfo: true })).toHaveProperty('hasBlockedMe', true)
  })

  test('the one who blocked does not see the other either', async () => {
    expect(idsOf(await listConversations({ onBehalfOf: 'eve' }))).toEqual([])
    const query = { includeBlockedUsers: true, withBlockedInfo: true }
    const { data } = await listConversations({ query, onBehalfOf: 'eve' })
    expect(data).toMatchObject([
      { conversationId: eve, conversationWith: { uid: 'ann', blockedByMe: true } },
    ])
  })

  test('sees a group only while they are in it', async () => {
    const params = { guid: 'pub' }
    await addMembers({ params, body: { participants: ['zed'] } })
    expect(idsOf(await listConversations({ onBehalfOf: 'zed' }))).toEqual([pub, zed])
    await kickMember({ params: { ...params, uid: 'zed' } })
    expect(idsOf(await listConversations({ onBehalfOf: 'zed' }))).toEqual([zed])
  })

  test('turns pages by cursor, each conversation once', async () => {
    const pages = await walkByCursor((at) =>
      listConversations({ query: { perPage: 2, ...at }, onBehalfOf: 'ann' }),
    )
    const ids = pages.flatMap((data) => idsOf({ data }))
    expect(ids.toSorted()).toEqual([bob, cid, zed, den, pub].toSorted())
    expect(ids).toEqual(await annSees())
  })

  test('finds totals not computed, and must exist', async () => {
    const { meta } = await listConversations({ query: { perPage: 2 }, onBehalfOf: 'ann' })
    expect(meta).toEqual({
      pagination: { total: 3, count: 2, per_page: 2, current_page: 1, total_pages: 2 },
      cursor: { affix: 'prepend', updatedAt: expect.any(Number), next: expect.any(String) },
    })
    await expect(listConversations({ onBehalfOf: 'nobody' })).rejects.toMatchObject({
      code: 'ERR_UID_NOT_FOUND',
    })
  })
})

describe('the app itself', () => {
  test('sees the rows of all users, each with its uid', async () => {
    const { data } = await listConversations({ query: { conversationType: 'user' } })
    expect(data.map(({ uid, conversationId }) => `${uid} ${conversationId}`)).toEqual([
      `ann ${bob}`,
      `ann ${cid}`,
      `ann ${zed}`,
      `bob ${bob}`,
      `cid ${cid}`,
      `zed ${zed}`,
    ])
    expect(data.map(({ unreadMessageCount }) => unreadMessageCount).join('')).toBe('010001')
    const other = ({ conversationWith }: (typeof data)[number]) =>
      'uid' in conversationWith ? conversationWith.uid : ''
    expect(data.map(other)).toEqual(['bob', 'cid', 'zed', 'ann', 'ann', 'ann'])
  })

  test('turns pages by cursor and by number', async () => {
    const list = (at: Query) =>
      listConversations({ query: { perPage: 4, includeBlockedUsers: true, ...at } })
    const row = ({ uid, conversationId }: { uid?: string; conversationId: string }) =>
      `${uid} ${conversationId}`
    const whole = (await listConversations({ query: { includeBlockedUsers: true } })).data.map(row)
    expect(whole).toHaveLength(10)
    expect((await walkByCursor(list)).flat().map(row)).toEqual(whole)
    expect((await list({ page: 3 })).data.map(row)).toEqual(whole.slice(8))
  })
})

test('conversations of the same second are each on one page', async () => {
  await app.given.users('moe', 'pal1', 'pal2', 'pal3')
  const pals = ['pal1', 'pal2', 'pal3']
  for (const to of pals) await say(app, { from: 'moe', to, text: 'hi', at: 1_700_000_100 })
  const pages = await walkByCursor((at) =>
    listConversations({ query: { perPage: 1, ...at }, onBehalfOf: 'moe' }),
  )
  const ids = pages.flatMap((data) => idsOf({ data }))
  expect(ids.toSorted()).toEqual(pals.map((uid) => `moe_user_${uid}`))
})

test.each<[string, Record<string, unknown>, string]>([
  ['an unknown type', { conversationType: 'both' }, 'conversationType'],
  ['a page of 1001', { perPage: 1001 }, 'perPage'],
  ['a page beyond 100,000 rows', { page: 101, perPage: 1000 }, 'page'],
  ['a cursor that it did not give', { cursor: 'x' }, 'cursor'],
  ['a cursor of the list of the whole app', { cursor: keyOf('ann', 1) }, 'cursor'],
  ['a cursor with a broken number', { cursor: keyOf(1.5, 1) }, 'cursor'],
  ['a cursor beyond numbers', { cursor: keyOf(1e300, 1e300) }, 'cursor'],
])('refuses %s', async (_, query, field) => {
  await expect(listConversations({ query, onBehalfOf: 'ann' })).rejects.toMatchObject({
    code: 'ERR_BAD_REQUEST',
    details: { [field]: [expect.any(String)] },
  })
})

function keyOf(...key: unknown[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url')
}
